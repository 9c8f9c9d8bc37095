/** Settings for pages that need JavaScript: docs/render.md. */
import { setting } from './setting.ts';
import {
  countOf,
  duration,
  filterText,
  flag,
  list,
  nofollowName,
  renderName,
  size,
  wholePath,
} from './value-types.ts';

export const RENDER_SETTINGS = {
  render: setting(
    'render',
    renderName,
    'never',
    'render pages in a browser without a network: never, auto (pages that show little without their scripts) or always',
  ),
  renderFilter: setting('render-filter', filterText, '', 'filter for pages to render'),
  browser: setting(
    'browser',
    wholePath,
    '',
    'program of the Chromium that renders; without it the first on the PATH, or the one that npm installed',
  ),
  browserFlags: setting(
    'browser-flags',
    list,
    [],
    'further flags of the browser, without dashes, such as no-sandbox, which weakens it',
  ),
  browsers: setting(
    'browsers',
    countOf('browsers'),
    0,
    'pages rendered at once, each in a browser of its own; 0 means one for two agents',
  ),
  renderTime: setting(
    'render-time',
    duration,
    10_000,
    'longest time for a page to load, scroll and settle; what it has become by then is taken',
    100,
  ),
  renderMemory: setting(
    'render-memory',
    size,
    2 ** 30,
    'most memory that a rendered page may take',
    64 * 2 ** 20,
  ),
  renderDelay: setting(
    'render-delay',
    duration,
    100,
    'time between two requests of a rendered page to one IP address; never more than the delay of a host',
  ),
  renderRobots: setting(
    'render-robots',
    nofollowName,
    'obey',
    'what robots.txt means for the scripts, styles and data of a rendered page: obey, or follow (fetch them all the same)',
  ),
  screenshot: setting(
    'screenshot',
    flag,
    false,
    'store a picture of each rendered page in the archive, as urn:view:URL',
  ),
  storageState: setting(
    'storage-state',
    wholePath,
    '',
    'file with the cookies and local storage of a login, as saved by storageState() of Playwright',
  ),
};
