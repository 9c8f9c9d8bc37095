# Scrapy on the synthetic web: follow every link, keep url and title of each page.
# python3 scrapy_peer.py <pages> <concurrency> <seed>…
import json
import resource
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

pages, concurrency, seeds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]


class Spider(scrapy.Spider):
    name = "peer"
    start_urls = seeds

    def parse(self, response):
        if not hasattr(response, "css"):
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for href in response.css("a::attr(href)").getall():
            url = response.urljoin(href)
            if url.startswith("http"):
                yield scrapy.Request(url)


class Loopback(CachingThreadedResolver):
    """Every name of the synthetic web is served at 127.0.0.1; a look-up that costs nothing favours the peer."""

    def getHostByName(self, name, timeout=None):
        return defer.succeed("127.0.0.1")


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


process = CrawlerProcess(
    {
        "LOG_LEVEL": "CRITICAL",
        "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "CLOSESPIDER_PAGECOUNT": pages,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DNS_RESOLVER": Loopback,
    }
)
crawler = process.create_crawler(Spider)
process.crawl(crawler)
before, started = cpu(), time.time()
process.start(install_signal_handlers=False)
stats = crawler.stats.get_stats()
print(
    json.dumps(
        {
            "pages": stats.get("item_scraped_count", 0),
            "cpuSeconds": cpu() - before,
            "seconds": time.time() - started,
            "maxRssBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
    )
)
