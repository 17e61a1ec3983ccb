"""Budgets: a tree of what agents may use, set aside before it is used."""

from ore.ext.observe.budget.allowance import Allowance
from ore.ext.observe.budget.budget import Budget
from ore.ext.observe.budget.message_budget import MessageBudget
from ore.ext.observe.budget.metered import Metered
from ore.ext.observe.budget.spent import Spent

__all__ = ["Allowance", "Budget", "MessageBudget", "Metered", "Spent"]
