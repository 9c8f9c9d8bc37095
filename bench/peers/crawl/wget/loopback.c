/*
 * Loaded into wget: every name of the synthetic web is served at 127.0.0.1; a look-up that costs
 * nothing favours the peer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  (void)name;
  return ((lookup *)dlsym(RTLD_NEXT, "getaddrinfo"))("127.0.0.1", service, hints, found);
}
