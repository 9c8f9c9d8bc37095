// Colly on the synthetic web: follow every link, keep URL and title of each page.
//
//	colly <pages> <concurrency> <seed>…
//
// prints {"pages":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…}
package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gocolly/colly/v2"
)

type kept struct{ url, title string }

func main() {
	pages, _ := strconv.ParseInt(os.Args[1], 10, 64)
	concurrency, _ := strconv.Atoi(os.Args[2])
	crawler := colly.NewCollector(colly.Async(true), colly.IgnoreRobotsTxt(), colly.MaxBodySize(0))
	// Every name of the synthetic web is served at 127.0.0.1; a look-up that costs nothing favours
	// the peer.
	dialer := &net.Dialer{}
	crawler.WithTransport(&http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return dialer.DialContext(ctx, network, "127.0.0.1:"+port)
		},
		MaxIdleConns: 4096,
	})
	crawler.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: concurrency})

	var asked, fetched atomic.Int64
	var mutex sync.Mutex
	var list []kept
	crawler.OnRequest(func(request *colly.Request) {
		if asked.Add(1) > pages {
			request.Abort()
		}
	})
	crawler.OnResponse(func(*colly.Response) { fetched.Add(1) })
	crawler.OnHTML("title", func(element *colly.HTMLElement) {
		mutex.Lock()
		list = append(list, kept{element.Request.URL.String(), element.Text})
		mutex.Unlock()
	})
	crawler.OnHTML("a[href]", func(element *colly.HTMLElement) {
		if asked.Load() < pages {
			element.Request.Visit(element.Attr("href"))
		}
	})

	before, startedAt := cpuSeconds(), time.Now()
	for _, seed := range os.Args[3:] {
		crawler.Visit(seed)
	}
	crawler.Wait()
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"pages":       fetched.Load(),
		"cpuSeconds":  cpuSeconds() - before,
		"seconds":     time.Since(startedAt).Seconds(),
		"maxRssBytes": usage.Maxrss * 1024,
	})
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	of := func(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }
	return of(usage.Utime) + of(usage.Stime)
}
