"""F3: approvals."""
