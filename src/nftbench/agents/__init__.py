"""Who answers: models behind HTTP servers, agent programs, and built-in agents, all as `backend.Backend`."""
