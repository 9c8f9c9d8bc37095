"""Google's robots.txt matcher as of 2023 (the port gpyrobotstxt 1.0.0, slow): reads lines
"file TAB agent TAB url" and prints 1 for each URL that may be fetched, 0 for each that may not."""
import sys

from gpyrobotstxt.robots_cc import RobotsMatcher
from gpyrobotstxt.robotstxtparser import RobotsTxtParser

read = RobotsTxtParser.get_key_and_value_from


def without_separator(*arguments):
    """The original skips a line without a separator; the port stumbles there."""
    try:
        return read(*arguments)
    except TypeError:
        return "", "", False


RobotsTxtParser.get_key_and_value_from = without_separator

for line in sys.stdin:
    path, agent, url = line.rstrip("\n").split("\t")
    with open(path, "rb") as file:
        body = file.read()
    print(int(RobotsMatcher().one_agent_allowed_by_robots(body, agent, url)))
