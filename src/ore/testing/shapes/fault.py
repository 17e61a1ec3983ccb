"""`ShapeError`: what a vendor would refuse about a request."""

__all__ = ["ShapeError"]


class ShapeError(AssertionError):
    """A vendor would refuse this request.

    It never holds long content, so it can stand in logs and in answers: text
    of people and models is only measured.

    Attributes:
        path: Where, such as `messages[1].tool_calls[0].id`; `body` for the whole.
        expected: What the vendor wants there.
        got: What stood there instead.
    """

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got
