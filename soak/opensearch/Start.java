import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One node of OpenSearch, in the folder that is named, until standard input ends. */
public class Start {
  public static void main(String[] arguments) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner
        .onBuild((number, settings) -> settings.put("discovery.type", "single-node"))
        .build(
            OpenSearchRunner.newConfigs()
                .basePath(arguments[0])
                .numOfNode(1)
                .baseHttpPort(9200)
                .clusterName("drumlin"));
    System.out.println("ready");
    while (System.in.read() >= 0) {}
    runner.close();
    System.exit(0);
  }
}
