// The console for most browser tests of a whole `npm test`: the same modules in one file instead of a hundred, because each request
// costs the browser and its driver processor time (0.9 s for a page of the shipped console, 0.55 s for one of this). The files in
// `ON_SHIPPED_CONSOLE` use the console that is shipped; one of them opens every page.
import { inRoot } from './project.mjs';

const { default: base } = await import(inRoot('vite.config.ts'));

/** Words of one language and documents stay apart: a page loads those it shows. */
const isApart = (id) => /\?(zh|en)$|virtual:document\//.test(id);

export default {
  ...base,
  build: {
    ...base.build,
    outDir: inRoot('node_modules', '.cache', 'console-for-tests'),
    rolldownOptions: {
      // Most dynamic imports lead into the same file.
      onLog: () => {},
      output: { codeSplitting: { groups: [{ name: 'console', test: (id) => !isApart(id) }] } },
    },
  },
};
