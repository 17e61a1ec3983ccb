import json
import sys
import urllib.request


def ask(method, path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **headers}
    return urllib.request.urlopen(urllib.request.Request(sys.argv[1] + path, data, headers, method=method))


session = json.load(ask("POST", "/sessions"))["id"]
messages = f"/sessions/{session}/messages"

# Events of one message, as lines, up to its end.
for line in ask("POST", messages, {"content": "Weather in Lisbon?", "id": "m1"}):
    event = json.loads(line)
    print(event["kind"], event.get("content", event.get("outcome", "")))

# The same request again is the same message.
again = ask("POST", messages, {"content": "Weather in Lisbon?", "id": "m1"}).read()
print(json.loads(again.splitlines()[-1])["outcome"])

# Without waiting: durable at once, and asked for later.
sent = json.load(ask("POST", messages, {"content": "And in Porto?"}, Prefer="respond-async"))
print(json.load(ask("GET", f"{messages}/{sent['id']}"))["status"] in ("waiting", "running", "done"))

# Everything that happens in the session, from where the snapshot stands.
cursor = json.load(ask("GET", f"/sessions/{session}/snapshot"))["id"]
ask("PATCH", f"/sessions/{session}/metadata", {"ore.title": "A trip"})
with ask("GET", f"/sessions/{session}/events?kinds=properties", **{"Last-Event-ID": cursor}) as events:
    for line in events:
        if line.startswith(b"data: "):
            print(json.loads(line[6:])["operations"])
            break
