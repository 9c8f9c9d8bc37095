"""Google's robots.txt matcher (its port gpyrobotstxt 1.0.0): reads lines of JSON, {"file", "agent",
"urls"}, and prints one list of verdicts for each, true where a URL may be fetched."""
import json
import sys

from gpyrobotstxt.robots_cc import RobotsMatcher

for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["file"], "rb") as file:
        body = file.read()
    matcher = RobotsMatcher()
    verdicts = [
        matcher.one_agent_allowed_by_robots(body, asked["agent"], url) for url in asked["urls"]
    ]
    print(json.dumps(verdicts), flush=True)
