/**
 * Pages that scripts make. A plain page is taken apart: its body becomes text in a script, or data
 * that a script asks for, and what is sent is a shell.
 *
 * So the links of the plain page are the truth about the links of the scripted one. Some pages do
 * harm besides: they loop, fill the memory, open dialogs, go elsewhere, or ask for addresses that
 * are none of their business.
 *
 * Bodies are byte strings, as everywhere in the lab.
 */
export const SCRIPTED = [
  'script-inline',
  'script-data',
  'script-scroll',
  'script-click',
  'script-hash',
  'script-loop',
  'script-memory',
  'script-dialogs',
  'script-redirect',
  'script-private',
] as const;
export type Scripted = (typeof SCRIPTED)[number];

/** How many parts a page is shown in, where it is shown bit by bit. */
const PARTS = 4;
const BODY = /^([\s\S]*?<body[^>]*>)([\s\S]*)<\/body>/;

interface Taken {
  /** Up to the start of the body. */
  readonly head: string;
  readonly content: string;
}

function takenApart(html: string): Taken {
  const [, head = '<!DOCTYPE html><body>', content = html] = BODY.exec(html) ?? [];
  return { head, content };
}

/** Cuts before links, so that no tag is cut. */
function partsOf(content: string): string[] {
  const links = content.split(/(?=<a )/);
  const each = Math.ceil(links.length / PARTS);
  return Array.from({ length: PARTS }, (_, i) => links.slice(i * each, (i + 1) * each).join(''));
}

/** A string of a script that no tag of its own can end. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('<', '\\x3c');

const SHOW = `const root = document.getElementById('root');
const show = (html) => root.insertAdjacentHTML('beforeend', html);`;

const ASK = `const ask = (part) => fetch('/data.json?of=' + encodeURIComponent(location.pathname + location.search) +
  (part === undefined ? '' : '&part=' + part)).then((answer) => answer.json());`;

/** Each is the code of the shell; `p` are the quoted parts, `c` the quoted content. */
const CODE: Readonly<Record<Scripted, (c: string, p: readonly string[]) => string>> = {
  'script-inline': (c) => `show(${c});`,
  'script-data': () => `${ASK} ask().then(({ html }) => show(html));`,
  'script-scroll': () => `${ASK}
let next = 0, busy = false;
const more = async () => {
  if (busy || next >= ${PARTS}) return;
  if (innerHeight + scrollY < document.body.scrollHeight - 100) return;
  busy = true;
  const { html } = await ask(next++);
  show(html + '<div style="height:1500px"></div>');
  busy = false;
};
addEventListener('scroll', more); more();`,
  'script-click': (_, p) => `const parts = [${p.join(',')}];
show(parts[0]);
for (let i = 1; i < parts.length; i++) {
  const button = document.createElement('button');
  button.textContent = 'More ' + i;
  button.onclick = () => { show(parts[i]); button.remove(); };
  document.body.append(button);
}`,
  'script-hash': (_, p) => `const parts = [${p.join(',')}];
const route = () => {
  const at = Number((/^#\\/part-(\\d)$/.exec(location.hash) || [0, 0])[1]);
  root.innerHTML = parts[at] || '';
  parts.forEach((_, i) => show('<p><a href="#/part-' + i + '">part ' + i + '</a></p>'));
};
addEventListener('hashchange', route); route();`,
  'script-loop': (c) =>
    `show(${c}); setTimeout(() => { for (let i = 0; ; i++) Math.sqrt(i); }, 20);`,
  'script-memory': (c) => `show(${c}); const kept = [];
setInterval(() => { for (let i = 0; i < 8; i++) kept.push(new Uint8Array(2e7).fill(i)); }, 1);`,
  'script-dialogs': (c) => `onbeforeunload = () => 'Stay!';
alert('You have won'); confirm('Really?'); prompt('Who are you?'); show(${c});
setInterval(() => alert('Again'), 50); open('/popup'); print();`,
  'script-redirect': (c) => `show(${c}); location.href = '/go/1';`,
  'script-private': (c) => `show(${c});
for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://[::1]:22/',
  'http://127.0.0.1:9/', 'file:///etc/passwd', 'ftp://127.0.0.1/'])
  fetch(url).then(() => show('<a href="/leaked">leaked</a>'), () => {});
try { new WebSocket('ws://10.0.0.1/'); show('<a href="/leaked">leaked</a>'); } catch {}`,
};

/** The shell that is sent in place of a page. */
export function scriptedPage(way: Scripted, html: string): string {
  const { head, content } = takenApart(html);
  const code = CODE[way](quoted(content), partsOf(content).map(quoted));
  return `${head}\n<div id="root"></div>\n<noscript>Please switch on JavaScript.</noscript>\n<script>\n${SHOW}\n${code}\n</script>\n</body>\n</html>\n`;
}

/** A page that goes to the next one, and so on without end. */
export function endlessRedirect(target: string): string | undefined {
  const at = /^\/go\/(\d{1,9})$/.exec(target)?.[1];
  if (at === undefined) return undefined;
  const next = `location.replace('/go/${Number(at) + 1}');`;
  return `<!DOCTYPE html><html><body><div id="root"></div><script>${next}</script></body></html>\n`;
}

/** The address of a page whose data is asked for, and the part of it. */
export function dataWanted(
  target: string,
): { readonly of: string; readonly part: number } | undefined {
  const match = /^\/data\.json\?of=([^&]{1,2000})(?:&part=(\d))?$/.exec(target);
  if (!match) return undefined;
  return { of: decodeURIComponent(match[1]), part: match[2] === undefined ? -1 : Number(match[2]) };
}

/** What a script gets that asks for the data of a page. */
export function scriptedData(html: string, part: number): string {
  const { content } = takenApart(html);
  return JSON.stringify({ html: part < 0 ? content : (partsOf(content)[part] ?? '') });
}
