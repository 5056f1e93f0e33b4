// `npm run requirements`: covered and open requirement ids per section.
//   --open   also prints every open line          --json   prints the same as one JSON object
// Ends with a failure when a test title carries an id that no checklist has.
import { Glob } from 'bun';
import { readChecklist, readTitles, report, unknownIds } from './requirement-ids.ts';

const root = `${import.meta.dir}/..`;

async function readAll(pattern: string): Promise<{ file: string; source: string }[]> {
  const files = await Array.fromAsync(new Glob(pattern).scan({ cwd: root }));
  return Promise.all(
    files.sort().map(async (file) => ({ file, source: await Bun.file(`${root}/${file}`).text() })),
  );
}

const checklists = await readAll('docs/requirements/*.md');
const tests = await readAll('{contract,server,web,tests}/**/*.test.{ts,tsx}');
const requirements = checklists.flatMap(({ source }) => readChecklist(source));
const titled = tests.flatMap(({ file, source }) => readTitles(file, source));
const unknown = unknownIds(requirements, titled);
const sections = report(requirements, titled);
const covered = sections.reduce((sum, section) => sum + section.covered.length, 0);

if (process.argv.includes('--json')) {
  const ids = sections.map((section) => ({
    section: section.section,
    covered: section.covered.map((requirement) => requirement.id),
    open: section.open.map((requirement) => requirement.id),
  }));
  console.log(JSON.stringify({ total: requirements.length, covered, sections: ids, unknown }));
} else {
  for (const section of sections) {
    const total = section.covered.length + section.open.length;
    console.log(
      `${String(section.covered.length).padStart(4)} of ${String(total).padStart(3)}  ${section.section}`,
    );
    if (!process.argv.includes('--open')) continue;
    for (const requirement of section.open)
      console.log(`             ${requirement.id}  ${requirement.text}`);
  }
  console.log(
    `${String(covered).padStart(4)} of ${requirements.length}  requirement lines are proven by a test`,
  );
}
for (const title of unknown)
  console.error(`${title.file}:${title.line}: no requirement has the id ${title.id}`);
if (unknown.length > 0) process.exit(1);
