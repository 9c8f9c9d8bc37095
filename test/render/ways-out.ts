/** What a hostile page can try to reach somebody but us, and what proves that it did not. */

/** Pages that try every way out; `at` is the host and port of a listening socket. */
export const waysOut = (at: string): readonly string[] => [
  `<link rel=preconnect href="http://${at}/"><link rel=preconnect href="https://${at}/" crossorigin>
   <link rel=dns-prefetch href="//nowhere.test"><link rel=prefetch href="http://${at}/">
   <link rel=preload as=script href="http://${at}/"><link rel=manifest href="http://${at}/">
   <link rel=icon href="http://${at}/"><link rel=modulepreload href="http://${at}/">
   <object data="http://${at}/"></object><embed src="http://${at}/"><a id=a ping="http://${at}/" href="/x">x</a>
   <script type=speculationrules>{"prerender":[{"urls":["http://${at}/"],"eagerness":"immediate"}],
     "prefetch":[{"urls":["http://${at}/","/ahead"],"eagerness":"immediate"}]}</script>
   <script>a.click()</script>`,
  `<iframe src="http://${at}/"></iframe><iframe srcdoc="<script>new WebSocket('ws://${at}/')</script>"></iframe>
   <iframe src="data:text/html,<script>new WebSocket('ws://${at}/')</script>"></iframe><iframe id=f></iframe>
   <script>for (const at of [self, f.contentWindow]) {
     try { new at.WebSocket('ws://${at}/') } catch {} try { new at.WebTransport('https://${at}/') } catch {}
     try { const pc = new at.RTCPeerConnection({ iceServers: [{ urls: 'stun:${at}' }] });
       pc.createDataChannel('x'); pc.createOffer().then((o) => pc.setLocalDescription(o)) } catch {}
   }</script>`,
  `<script>const code = "for (const way of [() => new WebSocket('ws://${at}/'), () => new EventSource('http://${at}/'), () => new WebTransport('https://${at}/'), () => fetch('http://${at}/').catch(() => {})]) try { way() } catch {}";
   const url = URL.createObjectURL(new Blob([code]));
   new Worker(url); new SharedWorker(url); new Worker('data:text/javascript,' + encodeURIComponent(code));
   new Worker(URL.createObjectURL(new Blob(['new Worker(' + JSON.stringify(url) + ')'])))</script>`,
  `<form id=g action="http://${at}/" method=post target=x></form><a id=d download href="http://${at}/">d</a>
   <script>fetch('http://${at}/', { keepalive: true }).catch(() => {}); navigator.sendBeacon('http://${at}/');
   try { fetchLater('http://${at}/', { activateAfter: 0 }) } catch {}
   new Image().src = 'http://${at}/'; new Audio('http://${at}/').play().catch(() => {});
   open('http://${at}/'); g.submit(); d.click(); setTimeout(() => { location = 'http://${at}/' }, 50)</script>`,
];

/** Lines of an answer that ask the browser for requests of its own. */
export const linesAbout = (at: string) =>
  [
    ...[['Content-Type', 'text/html'] as const, ['Alt-Svc', `h3="${at}"`] as const],
    ['Link', `<http://${at}/>; rel=preconnect`] as const,
    ['Speculation-Rules', `"http://${at}/"`] as const,
    ['Content-Security-Policy', `font-src 'none'; report-uri http://${at}/`] as const,
    ['Report-To', `{"group":"d","max_age":9,"endpoints":[{"url":"http://${at}/"}]}`] as const,
    ['NEL', '{"report_to":"d","max_age":9}'] as const,
  ] as const;

/**
 * The URLs in the browser's own record of its network (`--log-net-log`): all, and those of which
 * more is there than that their request was checked. What we answer comes no further than that.
 */
export function networkRecord(record: string) {
  // Each event is a line; the last may be cut.
  const [first, ...lines] = record.split('\n').map((line) => line.replace(/,$/, ''));
  const { logEventTypes } = JSON.parse(first.slice('{"constants":'.length));
  const all = new Set<string>();
  const onTheNetwork = new Set<string>();
  for (const line of lines.filter((text) => /^\{.*"url":.*\}$/.test(text))) {
    const { type, params } = JSON.parse(line);
    all.add(params.url);
    if (type !== logEventTypes.CORS_REQUEST) onTheNetwork.add(params.url);
  }
  return { all: [...all], onTheNetwork: [...onTheNetwork] };
}
