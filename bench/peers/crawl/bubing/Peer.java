import com.sun.management.OperatingSystemMXBean;
import it.unimi.di.law.bubing.Agent;
import it.unimi.di.law.bubing.RuntimeConfiguration;
import it.unimi.di.law.bubing.StartupConfiguration;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.configuration.BaseConfiguration;
import org.apache.http.conn.DnsResolver;

/**
 * BUbiNG on the synthetic web: one agent, no delays, its WARC store.
 *
 * <pre>Peer &lt;pages&gt; &lt;concurrency&gt; &lt;folder&gt; &lt;settings&gt; &lt;seed&gt;…</pre>
 *
 * prints {"pages":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…}
 */
public final class Peer {
  /**
   * Every name of the synthetic web is served at every address of 127.0.0.0/8. BUbiNG fetches one
   * page at a time from an address, so each host has its own. A look-up that costs nothing favours
   * the peer.
   */
  public static final class Loopback implements DnsResolver {
    @Override
    public InetAddress[] resolve(final String host) throws UnknownHostException {
      final int hash = host.hashCode() * 0x9e3779b9;
      final byte[] address = {127, (byte)(hash >>> 24), (byte)(hash >>> 16), (byte)(1 + (hash >>> 8) % 254)};
      return new InetAddress[] {InetAddress.getByAddress(host, address)};
    }
  }

  /** Stops when it has fetched enough: BUbiNG has no limit of pages. */
  private static final class Limited extends Agent {
    Limited(final RuntimeConfiguration configuration) throws Exception {
      super("127.0.0.1", 0, configuration);
    }

    @Override
    public void connect() throws IOException {
      super.connect();
      final Thread watcher = new Thread(() -> {
        try {
          while (getArchetypes2xx() < getMaxUrls()) Thread.sleep(50);
        } catch (final InterruptedException ended) {
          return;
        }
        stop();
      });
      watcher.setDaemon(true);
      watcher.start();
    }
  }

  public static void main(final String[] args) throws Exception {
    // The parser prints the head of every page there.
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    final BaseConfiguration settings = new BaseConfiguration();
    settings.addProperty("name", "peer");
    settings.addProperty("group", "peer");
    settings.addProperty("weight", "1");
    settings.addProperty("crawlIsNew", "true");
    settings.addProperty("maxUrls", args[0]);
    settings.addProperty("fetchingThreads", args[1]);
    settings.addProperty("rootDir", args[2]);
    settings.addProperty("dnsResolverClass", Loopback.class.getName());
    for (int i = 4; i < args.length; i++) settings.addProperty("seed", args[i]);
    final double before = cpuSeconds();
    final long started = System.nanoTime();
    // Returns when the crawl has ended.
    final Agent agent = new Limited(new RuntimeConfiguration(new StartupConfiguration(args[3], settings)));
    final double seconds = cpuSeconds() - before;
    System.out.println("\n{\"pages\":" + agent.getArchetypes2xx() + ",\"cpuSeconds\":" + seconds + ",\"seconds\":"
        + (System.nanoTime() - started) / 1e9 + ",\"maxRssBytes\":" + maxRssBytes() + "}");
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
