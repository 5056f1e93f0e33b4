import { describe, expect, test } from 'bun:test';
import {
  readChecklist,
  readReasons,
  readTitles,
  report,
  unknownIds,
  unknownReasons,
} from './requirement-ids.ts';

const checklist = `# Checklist
## 2. Screens
| id | requirement | kind |
|---|---|---|
| REL-2.01 | The list shows names. | screen |
| REL-2.100 | The list shows keys. | screen |
## 3. Entities
| REL-3.01 | A name has a length. | rule |
`;

describe('checklists', () => {
  test('a row is read with its id, section and sentence', () => {
    expect(readChecklist(checklist)).toEqual([
      { id: 'REL-2.01', section: 'REL 2. Screens', text: 'The list shows names.' },
      { id: 'REL-2.100', section: 'REL 2. Screens', text: 'The list shows keys.' },
      { id: 'REL-3.01', section: 'REL 3. Entities', text: 'A name has a length.' },
    ]);
  });
});

describe('titles', () => {
  const idsOf = (source: string) => readTitles('x.test.ts', source).map((title) => title.id);

  test('several ids in one title all count', () => {
    expect(idsOf(`test('REL-2.01 REL-2.100 both', () => {})`)).toEqual(['REL-2.01', 'REL-2.100']);
  });

  test('templates and rows of a table count', () => {
    expect(idsOf('for (const row of [["REL-2.01", 1]]) test(`${row[0]} REL-3.01`, run)')).toEqual([
      'REL-2.01',
      'REL-3.01',
    ]);
  });

  test('a comment proves nothing', () => {
    expect(idsOf(`// test('REL-2.01')\n/* 'REL-2.01' */ test('plain', run)`)).toEqual([]);
  });

  test('a skipped or planned test proves nothing', () => {
    expect(idsOf(`test.skip('REL-2.01', run); test.todo("REL-3.01")`)).toEqual([]);
  });

  test('a quote inside a regular expression does not hide the next line', () => {
    expect(idsOf(`const quote = /'/;\ntest('REL-2.01 works', run)`)).toEqual(['REL-2.01']);
  });

  test('the line of an id is known', () => {
    expect(readTitles('x.test.ts', `\n\ntest('REL-2.01', run)`)).toEqual([
      { id: 'REL-2.01', file: 'x.test.ts', line: 3 },
    ]);
  });
});

describe('report', () => {
  const requirements = readChecklist(checklist);

  test('an id that no checklist has is unknown, another code of the same look is not', () => {
    const titled = readTitles('x.test.ts', `test('REL-9.99 and ISO-8.01', run)`);
    expect(unknownIds(requirements, titled).map((title) => title.id)).toEqual(['REL-9.99']);
  });

  test('sections split into proven and open lines', () => {
    const sections = report(requirements, readTitles('x.test.ts', `test('REL-2.100', run)`));
    expect(sections.map((section) => [section.covered.length, section.open.length])).toEqual([
      [1, 1],
      [0, 1],
    ]);
  });
});

describe('reasons', () => {
  const reasons = readReasons(`| lines | reason |
|---|---|
| REL-2.01 | One line. |
| REL-2.99 to REL-2.101, REL-3.01 | A stretch, and another. |
No row: REL-2.01 | nothing |
`);

  test('a row explains one line, several, or a stretch of them', () => {
    expect([...reasons]).toEqual([
      ['REL-2.01', 'One line.'],
      ['REL-2.99', 'A stretch, and another.'],
      ['REL-2.100', 'A stretch, and another.'],
      ['REL-2.101', 'A stretch, and another.'],
      ['REL-3.01', 'A stretch, and another.'],
    ]);
  });

  test('a test wins over a reason, and a reason needs a line', () => {
    const requirements = readChecklist(checklist);
    const [screens, entities] = report(requirements, [{ id: 'REL-2.01', file: 'x', line: 1 }], reasons);
    expect(screens?.covered.map(({ id }) => id)).toEqual(['REL-2.01']);
    expect(screens?.explained.map(({ id }) => id)).toEqual(['REL-2.100']);
    expect(screens?.open).toEqual([]);
    expect(entities?.explained.map(({ id }) => id)).toEqual(['REL-3.01']);
    expect(unknownReasons(requirements, reasons)).toEqual(['REL-2.99', 'REL-2.101']);
  });
});
