/** Starts the console: trusted types, messages of the active language, then the first page. */
import '#web/ui/theme/styles.ts';
import { createRoot } from 'react-dom/client';
import { startI18n } from '#web/i18n/i18n.ts';
import { installDefaultPolicy } from '#web/ui/content/trusted.ts';
import { App } from './app/app.tsx';
import { router } from './app/router.ts';
import { reloadOnStaleBuild } from './app/stale-build.ts';

installDefaultPolicy();
reloadOnStaleBuild();
void start();

/** Not awaited by this module: the first page may be in a file that imports this one. */
async function start(): Promise<void> {
  await startI18n(['shell', 'ui']);
  // Until the code of the page is there, the outline in the document stays.
  await router.load();
  const root = document.querySelector('#root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(<App />);
  // Not needed for the first paint.
  void import('#web/ui/overflow/cut-titles.ts').then(({ showCutTitles }) => showCutTitles());
}
