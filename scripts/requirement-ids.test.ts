import { describe, expect, test } from 'bun:test';
import { readChecklist, readTitles, report, unknownIds } from './requirement-ids.ts';

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
