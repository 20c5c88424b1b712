"""What is asked of Linear, in GraphQL. A test checks every document against Linear's own schema."""

_ISSUE = """
fragment Shown on Issue {
  id
  identifier
  url
  updatedAt
  trashed
  state { id name type position }
  team { id }
}
"""

ACCOUNT = "query Account { viewer { id } organization { id name } }"

# A request may have 10,000 points of complexity (Linear, "Rate limiting"). This one has some 1,800.
TEAMS = """
query Teams($after: String) {
  teams(first: 25, after: $after) {
    nodes {
      id
      key
      name
      states(first: 50) { nodes { id name type position } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
"""

ISSUES = (
    """
query Issues($ids: [ID!]!, $first: Int!) {
  issues(filter: { id: { in: $ids } }, first: $first, includeArchived: true) { nodes { ...Shown } }
}
"""
    + _ISSUE
)

ISSUE = (
    """
query Issue($id: String!) {
  issue(id: $id) { ...Shown }
}
"""
    + _ISSUE
)

CREATE = (
    """
mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { ...Shown } }
}
"""
    + _ISSUE
)

UPDATE = (
    """
mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success issue { ...Shown } }
}
"""
    + _ISSUE
)
