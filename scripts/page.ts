/**
 * Makes the page of the console: one HTML file with its script and style inside, so that the first
 * paint needs one request, and a policy with their hashes lets nothing else run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'web');

/** uPlot formats numbers by it, but some browsers on servers name a language that there is not. */
const LANGUAGE =
  "try{new Intl.NumberFormat(navigator.language)}catch{Object.defineProperty(navigator,'language',{value:'en'})}";

export async function buildPage(): Promise<{ readonly html: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['web/main.tsx'],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: LANGUAGE },
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const style = await build({
    absWorkingDir: ROOT,
    stdin: {
      contents: `@import 'uplot/dist/uPlot.min.css';\n${readFileSync(join(WEB, 'style.css'), 'utf8')}`,
      loader: 'css',
      resolveDir: WEB,
    },
    bundle: true,
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  // An end tag inside a script would end it.
  const script = outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
  const html = readFileSync(join(WEB, 'page.html'), 'utf8')
    .replace('/*style*/', () => style.outputFiles[0].text.trim())
    .replace('/*script*/', () => script);
  return { html, metafile };
}
