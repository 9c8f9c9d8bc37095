"""SQLite FTS5 as a peer: indexes documents and answers queries, and prints its processor time.

usage: fts5_peer.py DATABASE DOCUMENTS QUERIES ROUNDS, a JSON text a line: [title, text]; [word, ...].
A query is asked ROUNDS times; the least time counts.
"""
import json
import os
import resource
import sqlite3
import sys


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


database, documents, queries, rounds = sys.argv[1:]
with open(documents, encoding="utf8") as lines:
    rows = [json.loads(line) for line in lines]
began = cpu()
connection = sqlite3.connect(database)
connection.execute("pragma journal_mode = off")
connection.execute("create virtual table pages using fts5(title, body, content='')")
connection.executemany("insert into pages(title, body) values (?, ?)", rows)
connection.commit()
indexing = cpu() - began
with open(queries, encoding="utf8") as lines:
    asked = [" ".join(f'"{word}"' for word in json.loads(line)) for line in lines]
times = [float("inf")] * len(asked)
for _ in range(int(rounds)):
    for i, words in enumerate(asked):
        began = cpu()
        connection.execute(
            "select rowid from pages where pages match ? order by bm25(pages, 3, 1) limit 10", (words,)
        ).fetchall()
        times[i] = min(times[i], cpu() - began)
print(json.dumps({"indexing": indexing, "times": times, "bytes": os.path.getsize(database)}))
