// The statement file of an organization with more members, tags, keys and models than it lists: what is not listed has a row, so that each
// section adds up to what was used.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { monthAt, monthSpan } from '#contract/month.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { openScene, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MONTH = monthAt(Math.floor(Date.now() / 1000));
const FIGURES = ['quota', 'count', 'prompt_tokens', 'completion_tokens'] as const;
type Figures = Record<(typeof FIGURES)[number], number>;

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let acme: Organization;
  beforeAll(async () => {
    scene = await openScene(database);
    acme = await scene.organization('Acme');
    await acme.owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
  });
  afterAll(() => scene.close());

  /** So many members, each with a key, a model and a value of the tag of their own, and a call of nobody. */
  async function used(members: number): Promise<void> {
    const { db } = scene.app.store;
    await db.deleteFrom('holder_hours').execute();
    await db.deleteFrom('usage_hours').execute();
    const hour = monthSpan(MONTH).start;
    const figures = (at: number) => ({
      count: 1 + at,
      quota: 1000 + 7 * at,
      prompt_tokens: 10 + at,
      completion_tokens: 20 + at,
    });
    const one = Array.from({ length: members }, (_, at) => ({
      hour,
      user_id: acme.id,
      token_id: 1 + at,
      model_name: `model ${at}`,
      ...figures(at),
    }));
    const nobody = {
      hour,
      user_id: acme.id,
      token_id: 1,
      model_name: 'model 0',
      channel_id: 1,
      ...figures(3),
    };
    await db
      .insertInto('usage_hours')
      .values([...one.map((row) => ({ ...row, channel_id: 0 })), nobody])
      .execute();
    const holder = { service_account_id: 0, project_id: 1 };
    for (const tag_key of ['', 'team'])
      await db
        .insertInto('holder_hours')
        .values(
          one.map((row, at) => ({
            ...row,
            ...holder,
            member_id: 10_000 + at,
            tag_key,
            tag_value: tag_key === '' ? '' : `value ${at}`,
          })),
        )
        .execute();
  }

  async function sectionsOf(): Promise<Map<string, { rows: number } & Figures>> {
    const reply = await fetch(`${scene.app.url}/api/user/statement/file?month=${MONTH}`, {
      headers: {
        Cookie: acme.owner.cookie,
        'New-Api-User': String(acme.owner.id),
        [ORGANIZATION_HEADER]: String(acme.id),
      },
    });
    const [head = '', ...lines] = (await reply.text()).replace('\uFEFF', '').trim().split('\r\n');
    const names = head.split(',');
    const sections = new Map<string, { rows: number } & Figures>();
    for (const line of lines) {
      const cells = line.split(',');
      const section = cells[names.indexOf('section')] ?? '';
      const sum = sections.get(section) ?? {
        rows: 0,
        quota: 0,
        count: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
      };
      sum.rows += 1;
      for (const name of FIGURES) sum[name] += Number(cells[names.indexOf(name)]);
      sections.set(section, sum);
    }
    return sections;
  }
  const figuresOf = (row: Figures | undefined) => FIGURES.map((name) => row?.[name] ?? 0);

  test.each([
    [230, 30],
    [200, 0],
  ])('of %d of each kind, %d are in the row of the others', async (members, others) => {
    await used(members);
    const sections = await sectionsOf();
    const total = figuresOf(sections.get('usage'));
    expect(total.every((figure) => figure > 0)).toBe(true);
    for (const by of ['model', 'token', 'member', 'tag']) {
      expect([by, sections.get(by)?.rows]).toEqual([by, 200]);
      // One row for all of them, with their own sum and no more: the ones that used least.
      const rest = sections.get(`${by}_others`);
      // Key and model of the first member have the call of nobody, too, and are not among the least.
      const first = by === 'model' || by === 'token' ? 1 : 0;
      const least = 1000 * others + 7 * others * (first + (others - 1) / 2);
      expect([by, rest?.rows ?? 0, rest?.quota ?? 0]).toEqual([by, others === 0 ? 0 : 1, least]);
      const parts = [by, `${by}_others`, `${by}_none`].map((section) => figuresOf(sections.get(section)));
      expect([by, FIGURES.map((_, at) => parts.reduce((sum, part) => sum + (part[at] ?? 0), 0))]).toEqual([
        by,
        total,
      ]);
    }
    expect(sections.get('member_none')?.quota).toBe(1021);
    expect(sections.has('project_others')).toBe(false);
  });
});
