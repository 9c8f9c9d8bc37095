import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.archive.crawler.framework.CrawlController;
import org.archive.crawler.framework.CrawlJob;

/**
 * Heritrix on the synthetic web: the job of a folder, which its own profile with a few values
 * overridden describes.
 *
 * <pre>Peer &lt;pages&gt; &lt;concurrency&gt; &lt;folder&gt; &lt;seed&gt;…</pre>
 *
 * prints {"pages":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…}
 */
public final class Peer {
  private static final String PROFILE = "/org/archive/crawler/restlet/profile-crawler-beans.cxml";

  public static void main(final String[] args) throws Exception {
    // Its log, which is a few lines.
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    final String overrides = String.join("\n",
        "metadata.operatorContactUrl=http://peer.test/",
        "crawlLimiter.maxDocumentsDownload=" + args[0],
        "crawlController.maxToeThreads=" + args[1],
        "crawlController.pauseAtStart=false",
        "disposition.delayFactor=0",
        "disposition.minDelayMs=0",
        "disposition.maxDelayMs=0",
        "fetchHttp.useHTTP11=true",
        "fetchHttp.sendConnectionClose=false",
        "##..more?..##");
    final StringBuilder seeds = new StringBuilder();
    for (int i = 3; i < args.length; i++) seeds.append(args[i]).append('\n');
    final String profile = new String(CrawlJob.class.getResourceAsStream(PROFILE).readAllBytes(), "UTF-8");
    final File job = new File(args[2], "crawler-beans.cxml");
    Files.writeString(job.toPath(), profile
        .replaceAll("(?m)^metadata\\.operatorContactUrl=.*$", "")
        .replace("##..more?..##", overrides)
        .replace("http://example.example/example", seeds)
        // Follow every link, not only those on the hosts of the seeds.
        .replace("<ref bean=\"acceptSurts\" />", "<bean class=\"org.archive.modules.deciderules.AcceptDecideRule\" />"));

    final double before = cpuSeconds();
    final long started = System.nanoTime();
    final CrawlJob crawl = new CrawlJob(job);
    crawl.launch();
    final CrawlController controller = crawl.getCrawlController();
    while (!controller.isFinished()) Thread.sleep(50);
    final double seconds = cpuSeconds() - before;
    // Its own count includes names and robots.txt.
    final long pages;
    try (Stream<String> lines = Files.lines(Path.of(args[2], "latest", "logs", "crawl.log"))) {
      pages = lines.filter(line -> line.matches("\\S+ +200 .* text/html .*")).count();
    }
    System.out.println("\n{\"pages\":" + pages
        + ",\"cpuSeconds\":" + seconds + ",\"seconds\":" + (System.nanoTime() - started) / 1e9
        + ",\"maxRssBytes\":" + maxRssBytes() + "}");
    System.exit(0);
  }

  private static double cpuSeconds() {
    return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
  }

  private static long maxRssBytes() throws Exception {
    for (final String line : Files.readAllLines(Path.of("/proc/self/status")))
      if (line.startsWith("VmHWM:")) return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    return 0;
  }
}
