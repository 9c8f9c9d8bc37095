/*
 * The floor: what a page costs in C. One thread fetches the pages breadth first over kept
 * connections, finds their links, takes two SHA-1, compresses and writes one WARC record a page.
 *
 *   floor <pages> <connections> <file> <level: 1, or 0 for no compression> <seed>…
 *
 * prints {"pages":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…,"parts":{…}}, parts in seconds.
 *
 * It leaves out what a crawler cannot leave out: names are not resolved (all are at 127.0.0.1),
 * there is no robots.txt, no delay, no retry, no checkpoint and no limit of memory. A connection
 * serves one host after the other.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

enum { LONGEST_URL = 2048, LARGEST_PAGE = 4 << 20, WRITTEN_AT_ONCE = 1 << 20 };
enum part { FETCH, LINKS, SHA, DEFLATE, WRITE, PARTS };

static double spent[PARTS];
static int port, level, out_file;

static void fail(const char *what) { perror(what); exit(1); }

/* Processor time of this thread: other programs on the core do not count. */
static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

/* ---- URLs: a queue, and a set of 64-bit fingerprints ---------------------------------------- */

static char **queue;
static size_t queued, taken, queue_room;
static uint64_t *seen;
static size_t seen_count, seen_room = 1 << 20;

static uint64_t fingerprint(const char *text, size_t length) {
  uint64_t h = length * 0x9e3779b97f4a7c15u, word;
  for (; length >= 8; text += 8, length -= 8) {
    memcpy(&word, text, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  word = 0;
  memcpy(&word, text, length);
  h = (h ^ word) * 0xc4ceb9fe1a85ec53u;
  return (h ^ (h >> 29)) | 1;
}

/* Whether the fingerprint is new; it is known from then on. */
static int add_seen(uint64_t key) {
  if (2 * seen_count >= seen_room) {
    uint64_t *old = seen;
    size_t room = seen_room;
    seen_room *= 2;
    seen = calloc(seen_room, sizeof *seen);
    for (size_t i = 0; i < room; i++) {
      if (!old[i]) continue;
      size_t at = old[i] & (seen_room - 1);
      while (seen[at]) at = (at + 1) & (seen_room - 1);
      seen[at] = old[i];
    }
    free(old);
  }
  size_t at = (key >> 1) & (seen_room - 1);
  for (; seen[at]; at = (at + 1) & (seen_room - 1))
    if (seen[at] == key) return 0;
  seen[at] = key;
  seen_count++;
  return 1;
}

/* URLs are kept without their scheme: host:port/path. */
static void enqueue(const char *url, size_t length) {
  if (!add_seen(fingerprint(url, length))) return;
  if (queued == queue_room) queue = realloc(queue, (queue_room = queue_room * 2 + 1024) * sizeof *queue);
  queue[queued++] = strndup(url, length);
}

/* Removes "." and ".." segments of the path in place; the length after it. */
static size_t without_dots(char *url, size_t length, size_t path) {
  size_t to = path, i = path;
  while (i < length && url[i] != '?') {
    size_t end = i + 1;
    while (end < length && url[end] != '/' && url[end] != '?') end++;
    size_t size = end - i;
    int last = end == length || url[end] == '?';
    if (size == 2 && url[i + 1] == '.') {
      if (last) url[to++] = '/';
    } else if (size == 3 && url[i + 1] == '.' && url[i + 2] == '.') {
      while (to > path && url[--to] != '/');
      if (last) url[to++] = '/';
    } else {
      memmove(url + to, url + i, size);
      to += size;
    }
    i = end;
  }
  memmove(url + to, url + i, length - i);
  return to + length - i;
}

static void follow(const char *base, const char *href, size_t length) {
  char text[LONGEST_URL], url[2 * LONGEST_URL];
  size_t n = 0;
  while (length && isspace((unsigned char)*href)) href++, length--;
  for (size_t i = 0; i < length && href[i] != '#' && n < sizeof text - 1; i++) {
    text[n++] = href[i];
    if (href[i] == '&' && length - i >= 5 && !memcmp(href + i, "&amp;", 5)) i += 4;
  }
  while (n && isspace((unsigned char)text[n - 1])) n--;
  if (!n) return;
  size_t host = strcspn(base, "/"), base_path = strcspn(base, "?"), kept;
  const char *rest = text;
  if (n > 7 && !strncasecmp(text, "http://", 7)) kept = 0, rest += 7, n -= 7;
  else if (n > 2 && text[0] == '/' && text[1] == '/') kept = 0, rest += 2, n -= 2;
  else if (text[0] == '/') kept = host;
  else if (text[0] == '?') kept = base_path;
  else if (memchr(text, ':', n) && !memchr(text, '/', (char *)memchr(text, ':', n) - text)) return;
  else for (kept = base_path; base[kept - 1] != '/'; kept--);
  if (kept + n > sizeof url - 2) return;
  memcpy(url, base, kept);
  memcpy(url + kept, rest, n);
  n += kept;
  host = 0;
  for (; host < n && url[host] != '/' && url[host] != '?'; host++) url[host] = tolower((unsigned char)url[host]);
  if (host == n || url[host] == '?') {
    memmove(url + host + 1, url + host, n - host);
    url[host] = '/';
    n++;
  }
  enqueue(url, without_dots(url, n, host));
}

/* Every href of an <a>, quoted or not. */
static void find_links(const char *base, const char *html, size_t length) {
  const char *end = html + length;
  for (const char *p = html; (p = memchr(p, '<', end - p)); p++) {
    if (end - p < 8) return;
    if (!memcmp(p, "<!--", 4)) {
      if (!(p = memmem(p, end - p, "-->", 3))) return;
      continue;
    }
    if ((p[1] | 32) != 'a' || !isspace((unsigned char)p[2])) continue;
    p += 2;
    while (p < end && *p != '>') {
      while (p < end && (isspace((unsigned char)*p) || *p == '/')) p++;
      const char *name = p;
      while (p < end && *p != '=' && *p != '>' && !isspace((unsigned char)*p)) p++;
      size_t size = p - name;
      if (p >= end || *p != '=') continue;
      const char *value = ++p, *stop;
      if (p < end && (*p == '"' || *p == '\'')) {
        value++;
        if (!(stop = memchr(value, *p, end - value))) return;
        p = stop + 1;
      } else {
        while (p < end && *p != '>' && !isspace((unsigned char)*p)) p++;
        stop = p;
      }
      if (size == 4 && !strncasecmp(name, "href", 4)) follow(base, value, stop - value);
    }
    if (p >= end) return;
  }
}

/* ---- The archive: one gzip member a page, written a megabyte at a time ----------------------- */

static unsigned char *archive;
static size_t archived;

static void write_archive(void) {
  for (size_t at = 0; at < archived;) {
    ssize_t n = write(out_file, archive + at, archived - at);
    if (n < 0) fail("write");
    at += n;
  }
  archived = 0;
}

static size_t compressed(const char *from, size_t length, unsigned char *to, size_t room) {
  if (level == 0) {
    memcpy(to, from, length);
    return length;
  }
#ifdef WITH_LIBDEFLATE
  static struct libdeflate_compressor *compressor;
  if (!compressor) compressor = libdeflate_alloc_compressor(level);
  return libdeflate_gzip_compress(compressor, from, length, to, room);
#else
  static z_stream stream;
  if (!stream.state && deflateInit2(&stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) fail("zlib");
  deflateReset(&stream);
  stream.next_in = (unsigned char *)from, stream.avail_in = length;
  stream.next_out = to, stream.avail_out = room;
  deflate(&stream, Z_FINISH);
  return room - stream.avail_out;
#endif
}

static void digest(const char *bytes, size_t length, char *hex) {
  unsigned char sum[20];
  SHA1((const unsigned char *)bytes, length, sum);
  for (int i = 0; i < 20; i++) {
    hex[2 * i] = "0123456789abcdef"[sum[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
  }
  hex[40] = 0;
}

/* The block is head and body as received; the body is its tail. */
static void store(const char *url, const char *block, size_t length, size_t head) {
  static char record[LARGEST_PAGE + 8192];
  char of_block[41], of_body[41];
  double start = cpu_now();
  digest(block, length, of_block);
  digest(block + head, length - head, of_body);
  double hashed = cpu_now();
  size_t n = snprintf(record, 8192,
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%.8s-%.4s-4%.3s-8%.3s-%.12s>\r\n"
    "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://%s\r\nWARC-Block-Digest: sha1:%s\r\n"
    "WARC-Payload-Digest: sha1:%s\r\nContent-Type: application/http;msgtype=response\r\n"
    "Content-Length: %zu\r\n\r\n",
    of_block, of_block + 8, of_block + 12, of_block + 15, of_block + 18, url, of_block, of_body, length);
  memcpy(record + n, block, length);
  memcpy(record + n + length, "\r\n\r\n", 4);
  archived += compressed(record, n + length + 4, archive + archived, LARGEST_PAGE + 16384);
  double deflated = cpu_now();
  if (archived >= WRITTEN_AT_ONCE) write_archive();
  spent[SHA] += hashed - start;
  spent[DEFLATE] += deflated - hashed;
  spent[WRITE] += cpu_now() - deflated;
}

/* ---- Connections ----------------------------------------------------------------------------- */

struct connection {
  int socket;
  char *url, *in;
  size_t have, head, wanted;
};
static size_t pages, wanted_pages, under_way;
static int events;

static void open_socket(struct connection *c) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1;
  if (c->socket) close(c->socket);
  if ((c->socket = socket(AF_INET, SOCK_STREAM, 0)) < 0) fail("socket");
  if (connect(c->socket, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
  setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(c->socket, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  if (epoll_ctl(events, EPOLL_CTL_ADD, c->socket, &event) < 0) fail("epoll");
}

/* Asks for the next URL, if there is one and the pages under way do not suffice. */
static void ask(struct connection *c) {
  char request[LONGEST_URL + 256];
  c->have = c->head = c->wanted = 0;
  if (taken == queued || pages + under_way >= wanted_pages) return;
  c->url = queue[taken++];
  size_t host = strcspn(c->url, "/");
  int n = snprintf(request, sizeof request,
    "GET %s HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: floor\r\nAccept: */*\r\n\r\n", c->url + host, (int)host, c->url);
  under_way++;
  if (send(c->socket, request, n, MSG_NOSIGNAL) != n) fail("send");
}

static void end_page(struct connection *c) {
  under_way--;
  if (!memcmp(c->in + 9, "200", 3)) {
    double start = cpu_now();
    find_links(c->url, c->in + c->head, c->wanted - c->head);
    spent[LINKS] += cpu_now() - start;
    store(c->url, c->in, c->wanted, c->head);
    pages++;
  }
  free(c->url);
  c->url = NULL;
}

/* Reads what is there; whether a page is complete. */
static int receive(struct connection *c) {
  ssize_t n = recv(c->socket, c->in + c->have, LARGEST_PAGE - c->have, 0);
  if (n <= 0) { /* The server has closed: the URL is given up. */
    open_socket(c);
    if (c->url) under_way--, c->wanted = 0;
    return 1;
  }
  c->have += n;
  if (!c->head) {
    char *end = memmem(c->in, c->have, "\r\n\r\n", 4);
    if (!end) return 0;
    c->head = end + 4 - c->in;
    *end = 0;
    char *length = strcasestr(c->in, "\r\nContent-Length:");
    *end = '\r';
    if (!length) fprintf(stderr, "no length: %s\n", c->url), exit(1);
    c->wanted = c->head + strtoul(length + 17, NULL, 10);
    if (c->wanted > LARGEST_PAGE) fprintf(stderr, "too large: %s\n", c->url), exit(1);
  }
  return c->have >= c->wanted;
}

int main(int count, char **args) {
  if (count < 6) return fprintf(stderr, "floor <pages> <connections> <file> <level> <seed>…\n"), 2;
  int connections = atoi(args[2]);
  wanted_pages = atol(args[1]);
  level = atoi(args[4]);
  if ((out_file = open(args[3], O_WRONLY | O_CREAT | O_TRUNC, 0644)) < 0) fail(args[3]);
  seen = calloc(seen_room, sizeof *seen);
  archive = malloc(WRITTEN_AT_ONCE + 2 * LARGEST_PAGE + 32768);
  port = atoi(strrchr(args[5], ':') + 1);
  for (int i = 5; i < count; i++) enqueue(args[i] + 7, strlen(args[i]) - 7);
  struct timespec started, ended;
  clock_gettime(CLOCK_MONOTONIC, &started);
  double before = cpu_now();
  events = epoll_create1(0);
  struct connection *all = calloc(connections, sizeof *all);
  for (int i = 0; i < connections; i++) {
    all[i].in = malloc(LARGEST_PAGE);
    open_socket(&all[i]);
    ask(&all[i]);
  }
  while (under_way) {
    struct epoll_event ready[64];
    int n = epoll_wait(events, ready, 64, -1);
    for (int i = 0; i < n; i++) {
      struct connection *c = ready[i].data.ptr;
      if (!receive(c)) continue;
      if (c->wanted) end_page(c);
      ask(c);
    }
    /* At first there are fewer URLs than connections. */
    for (int i = 0; i < connections && taken < queued && under_way < (size_t)connections; i++)
      if (!all[i].url) ask(&all[i]);
  }
  double start = cpu_now();
  write_archive();
  spent[WRITE] += cpu_now() - start;
  double total = cpu_now() - before;
  clock_gettime(CLOCK_MONOTONIC, &ended);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"pages\":%zu,\"cpuSeconds\":%f,\"seconds\":%f,\"maxRssBytes\":%ld,\"parts\":{\"fetch\":%f,"
    "\"links\":%f,\"SHA-1\":%f,\"deflate\":%f,\"write\":%f}}\n",
    pages, total, ended.tv_sec - started.tv_sec + (ended.tv_nsec - started.tv_nsec) / 1e9,
    usage.ru_maxrss * 1024L, total - spent[LINKS] - spent[SHA] - spent[DEFLATE] - spent[WRITE],
    spent[LINKS], spent[SHA], spent[DEFLATE], spent[WRITE]);
  return 0;
}
