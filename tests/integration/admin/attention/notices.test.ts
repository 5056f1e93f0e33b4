// Notices from the list of what needs a person: one for each occurrence, none that another event reports, said by one of several
// nodes, and in both languages.
import { beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { ATTENTION_KIND_NAMES, ATTENTION_KINDS } from '#contract/admin/attention-kinds.ts';
import { ATTENTION_NOTICE_EVENTS, OPERATOR_NOTICE_EVENTS } from '#contract/admin/notice-events.ts';
import { noticeText } from '#server/platform/notices/texts.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { addChannel, attentionScene, DAY, type Scene } from './support.ts';

setDefaultTimeout(60_000);

const HOUR = 3600;

test('every kind for operators has a notice, and one of the list’s own where nothing else reports it', () => {
  // The scheduler reports a job that fails.
  const own = ATTENTION_KIND_NAMES.filter(
    (kind) => ATTENTION_KINDS[kind].notice === kind && kind !== 'job_failed',
  );
  expect(own.toSorted()).toEqual([...ATTENTION_NOTICE_EVENTS].toSorted() as never);
  for (const kind of ATTENTION_KIND_NAMES)
    if (ATTENTION_KINDS[kind].access === 'admin' || ATTENTION_KINDS[kind].access === 'root')
      expect(OPERATOR_NOTICE_EVENTS).toContain(ATTENTION_KINDS[kind].notice as never);
});

forEachDatabase((_label, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await attentionScene(await open());
  });
  beforeEach(async () => {
    await scene.store.db.deleteFrom('notices').execute();
  });

  const settings = { SystemName: 'T', ServerAddress: 'https://site', QuotaPerUnit: 500_000 };
  const raised = () => scene.store.db.selectFrom('notices').selectAll().orderBy('id').execute();
  const events = async () => (await raised()).map(({ event }) => event);
  const textOf = (row: { event: string; details: string }, SiteTimeZone = 'UTC') =>
    noticeText(row, { settings: { ...settings, SiteTimeZone }, username: '' });
  async function pass(seconds = 301): Promise<void> {
    scene.clock.now += seconds;
    await scene.attention.run();
  }
  const reportDisk = (disk_percent: number) =>
    scene.store.db
      .insertInto('node_reports')
      .values({
        node_id: 'far',
        report: JSON.stringify({ disk_percent }),
        reported_at: scene.clock.now + DAY * 365,
      })
      .onConflict((conflict) =>
        conflict.column('node_id').doUpdateSet({ report: JSON.stringify({ disk_percent }) }),
      )
      .execute();

  test('a full disk is one notice while it lasts, also when it is at its limit and when the process begins anew', async () => {
    await reportDisk(91);
    await pass();
    await pass();
    const [row, ...others] = await raised();
    expect(others).toEqual([]);
    expect(row?.user_id).toBe(0);
    const { title, text } = textOf(row ?? { event: '', details: '' });
    expect([title.zh, title.en]).toEqual([
      expect.stringMatching(/^far 的磁盘已用 91 ?%$/),
      expect.stringMatching(/^The disk of far is 91 ?% full$/),
    ]);
    expect(text.en).toBe('No calls are accepted once the disk is full.\nhttps://site/nodes');
    expect(text.zh).toBe('磁盘写满后无法接收请求。\nhttps://site/nodes');
    // For half an hour it is below the limit.
    await reportDisk(20);
    await pass(HOUR / 2);
    await reportDisk(92);
    await pass(HOUR / 2);
    await scene.another().run();
    expect(await events()).toEqual(['disk_full']);
    // Fuller: another fact.
    await reportDisk(97);
    await pass();
    expect(await events()).toEqual(['disk_full', 'disk_full']);
  });

  test('what comes back after an hour is said again', async () => {
    await reportDisk(91);
    await pass();
    await reportDisk(20);
    await pass();
    await pass(HOUR);
    expect(await events()).toEqual(['disk_full']);
    await reportDisk(91);
    await pass();
    expect(await events()).toEqual(['disk_full', 'disk_full']);
    await reportDisk(20);
    await pass();
    await pass(HOUR);
  });

  test('a snooze of one person holds back no notice, and is followed by none', async () => {
    scene.settings.current.BackupEveryHours = 24;
    await scene.store.db
      .insertInto('jobs')
      .values({
        name: 'backup',
        node_id: '',
        owner: 'n',
        runs: 1,
        finished_ms: (scene.clock.now - 27 * HOUR) * 1000,
      })
      .execute();
    await pass();
    const item = await scene.item('root', 'backup_old');
    await scene.snooze('root', { id: item?.id ?? '', mark: item?.mark ?? '' });
    await pass();
    expect(await events()).toEqual(['backup_old']);
    const [row] = await raised();
    const said = textOf(row ?? { event: '', details: '' }, 'Asia/Shanghai');
    expect(said.text.en).toMatch(
      /^last made 2026-11-1\d \d\d:\d\d \(Asia\/Shanghai\)\nhttps:\/\/site\/jobs$/,
    );
    await scene.store.db.deleteFrom('jobs').execute();
    await pass();
    await pass(HOUR);
  });

  test('what another event reports is not said twice', async () => {
    const status_time = scene.clock.now - 60;
    const id = await addChannel(scene, 'off', {
      models: 'only-1',
      status: 3,
      other_info: JSON.stringify({ status_reason: 'status 401', status_time }),
    });
    await scene.store.changes.announce('channels');
    await pass();
    expect((await scene.view('root')).items.map(({ kind }) => kind)).toContain('channel_only');
    expect(await events()).toEqual([]);
    await scene.store.db.deleteFrom('abilities').where('channel_id', '=', id).execute();
    await scene.store.db.deleteFrom('channels').where('id', '=', id).execute();
  });

  test('a model without a price is said with whom it touches', async () => {
    scene.unpriced.add('gpt-new');
    const id = await addChannel(scene, 'new', { models: 'gpt-new' });
    await scene.store.changes.announce('channels');
    await pass();
    const [row] = await raised();
    expect(row?.event).toBe('model_unpriced');
    expect(textOf(row ?? { event: '', details: '' }).title.en).toBe('gpt-new has no price');
    await scene.store.db.deleteFrom('abilities').where('channel_id', '=', id).execute();
    scene.unpriced.clear();
    await pass();
    await pass(HOUR);
  });

  test('a database that could not be written is said when it can be again; another node does not end it', async () => {
    scene.ledger.isWritable = false;
    const { db } = scene.store;
    await scene.withoutNotices(async () => {
      scene.clock.now += 301;
      expect(await failure(scene.attention.run())).toBeInstanceOf(Error);
    });
    scene.ledger.isWritable = true;
    await pass();
    expect(await events()).toEqual(['writes_fail']);
    const other = scene.another('node-there');
    scene.clock.now += 301;
    await other.run();
    scene.clock.now += HOUR + 301;
    await other.run();
    const [kept] = await raised();
    expect(kept?.once_key).toStartWith('attention:node-here:writes_fail:');
    await pass();
    await pass(HOUR);
    const keys = await db
      .selectFrom('notices')
      .select('once_key')
      .where('once_key', 'like', 'attention:%')
      .execute();
    expect(keys).toEqual([]);
  });
});
