// Files of results at our own address, on both databases: proofs, ranges, limits, and copies on the disk and in S3. Options:
// MediaForwardEnabled, MediaMaxMegabytes, MediaKeepDays, MediaKeepGigabytes, MediaStorage, MediaS3Endpoint, MediaS3Bucket,
// MediaS3Region, MediaS3AccessKeyId, MediaS3Secret.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Row } from '#server/platform/store/schema.ts';
import {
  ask,
  createPainter,
  ended,
  expectSoundBooks,
  type Painter,
} from '#tests/integration/relay/drawing/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { addChannel } from '#tests/support/channels.ts';
import { wavFile } from '#mock/media-files.ts';
import { startSuno, type SunoServer } from '#mock/upstream/suno/server.ts';

setDefaultTimeout(60_000);

const MEGABYTE = 1024 ** 2;
const SONG = wavFile(10);

let s3: S3rver;
let s3Directory: string;
let s3Port: number;
beforeAll(async () => {
  s3Directory = await mkdtemp(join(tmpdir(), 's3-'));
  s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: s3Directory,
    configureBuckets: [{ name: 'results' }],
  });
  s3Port = (await s3.run()).port;
});
afterAll(async () => {
  await s3.close();
  await rm(s3Directory, { recursive: true });
});

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let suno: SunoServer;
    let root: Actor;
    let player: Painter;
    let trap: Bun.Server<undefined>;
    let trapped = 0;
    beforeAll(async () => {
      suno = startSuno();
      const environment = { TASK_POLL_SECONDS: '1', ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1' };
      app = await startApplication({ database, environment });
      await app.settings.set('ServerAddress', app.url, 0);
      root = await app.actor({ role: ROLE.root });
      player = await createPainter(app, 100_000_000);
      await addChannel(app.store, {
        name: 'band',
        type: CHANNEL_TYPE.suno,
        base_url: suno.url,
        key: suno.key,
        models: ['suno_music', 'suno_lyrics'],
      });
      trap = Bun.serve({
        port: 0,
        hostname: '127.0.0.2',
        fetch() {
          trapped += 1;
          return new Response(Buffer.from(SONG.bytes), { headers: { 'Content-Type': SONG.type } });
        },
      });
    });
    afterAll(async () => {
      await app.close();
      await suno.stop();
      await trap.stop(true);
    });
    beforeEach(async () => {
      await save({
        MediaKeepDays: '0',
        MediaMaxMegabytes: '500',
        MediaKeepGigabytes: '10',
        MediaStorage: 'disk',
      });
      await app.store.db.deleteFrom('media').execute();
      await app.store.db.deleteFrom('tasks').execute();
      await rm(join(app.dataDir, 'media'), { recursive: true, force: true });
    });

    async function save(texts: Record<string, string>): Promise<void> {
      for (const [key, text] of Object.entries(texts)) await app.settings.set(key, text, 0);
    }

    /** A finished song whose first clip is this file; the second clip and the covers are gone. */
    async function song(file: typeof SONG | Response = SONG): Promise<Row<'tasks'>> {
      const { body } = await ask(app.url, player.key, '/suno/submit/music', { prompt: 'a song of gates' });
      const id = String(body['data']);
      suno.files.set(`/${id}-1.mp3`, file);
      suno.finish(id);
      return await ended(app.store, id);
    }

    interface Clip {
      audio_url: string;
      video_url: string;
      image_url: string;
    }
    async function clipOf(task: Row<'tasks'>): Promise<Clip> {
      const { body } = await ask(app.url, player.key, `/suno/fetch/${task.task_id}`);
      return (body['data'] as { data: Clip[] }).data[0]!;
    }
    const read = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });
    const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

    async function run(name: string): Promise<string> {
      const find = async () => (await app.client(root).jobs.list()).find((job) => job.name === name)!;
      const { runs } = await find();
      for (let look = 0; look < 1000; look += 1) {
        const { status } = await app.request(`/api/jobs/${name}/run`, { as: root, body: {} });
        if (status === 200) break;
        await Bun.sleep(20);
      }
      for (let look = 0; look < 1000; look += 1) {
        const job = await find();
        if (job.runs > runs && job.state !== 'running') return job.error;
        await Bun.sleep(20);
      }
      throw new Error(`${name} does not end`);
    }
    const rows = () => app.store.db.selectFrom('media').selectAll().orderBy('id').execute();
    const keptRows = async () => (await rows()).filter(({ state }) => state === 'kept');
    const files = () => readdir(join(app.dataDir, 'media')).catch(() => []);

    test('MediaForwardEnabled: callers and the console get our address, or the upstream’s when it is off', async () => {
      const task = await song();
      const ours = await clipOf(task);
      expect(ours.audio_url).toStartWith(`${app.url}/media/${task.id}/audio-0?key=`);
      expect(ours.video_url).toStartWith(`${app.url}/media/${task.id}/video-0?key=`);
      const list = async () =>
        (await app.client(root).tasks.list({ query: { task_id: task.task_id } })).data[0]!;
      const { audio_url, video_url, image_url } = ours;
      expect((await list()).parts[0]).toMatchObject({ audio_url, video_url, image_url });
      await save({ MediaForwardEnabled: 'false' });
      expect((await clipOf(task)).audio_url).toBe(`${suno.url}/${task.task_id}-1.mp3`);
      expect((await list()).parts[0]?.audio_url).toBe(`${suno.url}/${task.task_id}-1.mp3`);
      await save({ MediaForwardEnabled: 'true' });
    });

    test('MediaForwardEnabled off: what users read at the upstream is not kept', async () => {
      await song();
      await save({ MediaForwardEnabled: 'false', MediaKeepDays: '3' });
      await run('media-keeping');
      // A row without a name says that the task was looked at.
      expect((await rows()).map(({ name, state }) => [name, state])).toEqual([['', 'expired']]);
      await save({ MediaForwardEnabled: 'true', MediaKeepDays: '0' });
    });

    test('only the whole address shows a file, and a file brings no script into a page', async () => {
      const task = await song();
      const { audio_url } = await clipOf(task);
      const shown = await read(audio_url);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'audio/wav']);
      expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
      expect(shown.headers.get('content-security-policy')).toContain('sandbox');
      expect((await bytesOf(shown)).equals(SONG.bytes)).toBe(true);
      const proof = new URL(audio_url).searchParams.get('key');
      const at = `${app.url}/media/${task.id}`;
      for (const url of [
        `${at}/audio-0`,
        `${at}/audio-0?key=${'0'.repeat(32)}`,
        `${at}/audio-1?key=${proof}`,
        `${app.url}/media/${task.id + 1}/audio-0?key=${proof}`,
        `${at}/..%2faudio-0?key=${proof}`,
      ])
        expect([url, (await read(url)).status]).toEqual([url, 404]);
      expect((await fetch(audio_url, { method: 'POST' })).status).toBe(405);
    });

    /** The same answers for a file of the upstream, of the disk and of S3. */
    async function expectRanges(url: string): Promise<void> {
      const { length } = SONG.bytes;
      const part = await read(url, { Range: 'bytes=100-199' });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${length}`]);
      expect((await bytesOf(part)).equals(SONG.bytes.subarray(100, 200))).toBe(true);
      const rest = await read(url, { Range: `bytes=${length - 5}-` });
      expect([rest.status, (await bytesOf(rest)).length]).toEqual([206, 5]);
      const beyond = await read(url, { Range: `bytes=${length}-` });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${length}`]);
      const several = await read(url, { Range: 'bytes=0-1,5-6' });
      expect([several.status, (await bytesOf(several)).length]).toEqual([200, length]);
      const tag = part.headers.get('etag') ?? '';
      const same = await read(url, { Range: 'bytes=0-9', 'If-Range': tag });
      expect([tag === '', same.status, (await bytesOf(same)).length]).toEqual([false, 206, 10]);
      const other = await read(url, { Range: 'bytes=0-9', 'If-Range': '"of another file"' });
      expect([other.status, (await bytesOf(other)).length]).toEqual([200, length]);
    }

    test('ranges are passed to the upstream', async () => {
      await expectRanges((await clipOf(await song())).audio_url);
    });

    test('redirects are followed to allowed addresses only, and scripts do not pass', async () => {
      const redirect = (url: string) => new Response(null, { status: 302, headers: { Location: url } });
      const moved = await song(redirect(`${suno.url}/there.mp3`));
      suno.files.set('/there.mp3', SONG);
      expect((await bytesOf(await read((await clipOf(moved)).audio_url))).equals(SONG.bytes)).toBe(true);
      const html = new Response('<script>', { headers: { 'Content-Type': 'text/html' } });
      for (const file of [
        redirect(`http://127.0.0.2:${trap.port}/`),
        redirect('http://169.254.169.254/latest/meta-data/'),
        redirect('file:///etc/passwd'),
        redirect(`${suno.url}/round.mp3`),
        html,
        new Response('<svg/>', { headers: { 'Content-Type': 'image/svg+xml' } }),
      ]) {
        suno.files.set('/round.mp3', redirect(`${suno.url}/round.mp3`));
        expect((await read((await clipOf(await song(file))).audio_url)).status).toBe(502);
      }
      expect(trapped).toBe(0);
    });

    test('MediaMaxMegabytes: a larger file is refused, and cut when its length was not said', async () => {
      await save({ MediaMaxMegabytes: '1' });
      const large = { bytes: new Uint8Array(MEGABYTE + 1), type: 'audio/mpeg' };
      const { audio_url } = await clipOf(await song(large));
      expect((await read(audio_url)).status).toBe(502);
      expect((await read(audio_url, { Range: 'bytes=0-9' })).status).toBe(502);
      const piece = new Uint8Array(MEGABYTE / 2);
      const endless = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
      const unsized = await song(new Response(endless, { headers: { 'Content-Type': 'audio/mpeg' } }));
      const cut = await read((await clipOf(unsized)).audio_url)
        .then(bytesOf)
        .catch(() => 'cut');
      expect(cut).toBe('cut');
      const short = new Response(
        new ReadableStream({ start: (body) => (body.enqueue(piece), body.close()) }),
        {
          status: 206,
          headers: { 'Content-Type': 'audio/mpeg', 'Content-Range': `bytes 0-${MEGABYTE - 1}/${MEGABYTE}` },
        },
      );
      const cutShort = await song(short);
      const part = await read((await clipOf(cutShort)).audio_url)
        .then(bytesOf)
        .catch(() => 'cut');
      expect(part).toBe('cut');
      await app.store.db.deleteFrom('tasks').where('task_id', '=', cutShort.task_id).execute();
      await save({ MediaKeepDays: '1' });
      await run('media-keeping');
      expect((await rows()).filter(({ name }) => name === 'audio-0').map(({ error }) => error)).toEqual([
        'the file is too large',
        'the file is too large',
      ]);
    });

    test('MediaKeepDays: a result is kept on the disk, served after the upstream lost it, and removed when its days are over', async () => {
      const lyrics = await ask(app.url, player.key, '/suno/submit/lyrics', { prompt: 'of gates' });
      suno.finish(String(lyrics.body['data']));
      await ended(app.store, String(lyrics.body['data']));
      const task = await song();
      await run('media-keeping');
      expect(await rows()).toEqual([]);
      await save({ MediaKeepDays: '3' });
      expect(await run('media-keeping')).toBe('');
      expect(await keptRows()).toMatchObject([
        { task_id: task.id, name: 'audio-0', place: 'disk', type: 'audio/wav', bytes: SONG.bytes.length },
      ]);
      // What the upstream does not have is asked for again later.
      expect((await rows()).find(({ name }) => name === 'video-0')).toMatchObject({
        state: 'failed',
        tries: 1,
      });
      expect(await files()).toEqual([`${task.hold_id}-audio-0`]);
      suno.files.clear();
      const before = suno.reads.length;
      const { audio_url } = await clipOf(task);
      expect((await bytesOf(await read(audio_url))).equals(SONG.bytes)).toBe(true);
      await expectRanges(audio_url);
      await run('media-keeping');
      expect(suno.reads).toHaveLength(before);
      // A copy that is lost or cut short is no error while the upstream has the file.
      const copy = join(app.dataDir, 'media', `${task.hold_id}-audio-0`);
      await truncate(copy, 100);
      expect((await read(audio_url)).status).toBe(502);
      await writeFile(copy, SONG.bytes);
      await rename(join(app.dataDir, 'media'), join(app.dataDir, 'away'));
      suno.files.set(`/${task.task_id}-1.mp3`, SONG);
      expect((await read(audio_url)).status).toBe(200);
      await rename(join(app.dataDir, 'away'), join(app.dataDir, 'media'));
      const days = 3 * 86_400;
      await app.store.db
        .updateTable('media')
        .set((row) => ({ kept_at: row('kept_at', '-', days + 1) }))
        .where('state', '=', 'kept')
        .execute();
      await run('media-cleanup');
      expect([await files(), await keptRows()]).toEqual([[], []]);
      // An expired copy is not made again.
      await run('media-keeping');
      expect(await keptRows()).toEqual([]);
      await expectSoundBooks(app.store);
    });

    test('files without a row, left by a crash, are removed; those of a removed task too', async () => {
      await save({ MediaKeepDays: '3' });
      const task = await song();
      await run('media-keeping');
      const directory = join(app.dataDir, 'media');
      for (const name of ['crashed.part', 'unknown', 'being-written.part'])
        await writeFile(join(directory, name), 'x');
      for (const name of ['crashed.part', 'unknown', `${task.hold_id}-audio-0`])
        await utimes(join(directory, name), 1, 1);
      await run('media-cleanup');
      expect((await files()).toSorted()).toEqual(
        [`${task.hold_id}-audio-0`, 'being-written.part'].toSorted(),
      );
      await app.store.db.deleteFrom('tasks').execute();
      await run('media-cleanup');
      expect([await files(), await rows()]).toEqual([['being-written.part'], []]);
    });

    test('MediaKeepGigabytes: the oldest copies make room for a new one', async () => {
      await save({ MediaKeepDays: '3', MediaKeepGigabytes: '1' });
      const [first, second] = [await song(), await song()];
      await run('media-keeping');
      const almostAll = 1024 * MEGABYTE - SONG.bytes.length;
      await app.store.db
        .updateTable('media')
        .set({ bytes: almostAll, kept_at: 1000 })
        .where('task_id', '=', first.id)
        .where('state', '=', 'kept')
        .execute();
      const third = await song();
      await run('media-keeping');
      expect((await keptRows()).map(({ task_id }) => task_id)).toEqual([second.id, third.id]);
      expect((await files()).toSorted()).toEqual(
        [second, third].map(({ hold_id }) => `${hold_id}-audio-0`).toSorted(),
      );
    });

    test('a disk that takes nothing fails the job, not the task, and the file is kept when it takes files again', async () => {
      await save({ MediaKeepDays: '3' });
      // A file in the place of the directory: every write fails.
      await writeFile(join(app.dataDir, 'media'), 'x');
      const task = await song();
      expect(task).toMatchObject({ status: 'SUCCESS', money: 'settled' });
      expect(await run('media-keeping')).not.toBe('');
      expect((await read((await clipOf(task)).audio_url)).status).toBe(200);
      expect((await rows())[0]).toMatchObject({ state: 'wanted', tries: 0 });
      await rm(join(app.dataDir, 'media'));
      await app.store.db.updateTable('media').set({ next_try_at: 0 }).execute();
      expect(await run('media-keeping')).toBe('');
      expect(await keptRows()).toHaveLength(1);
      await expectSoundBooks(app.store);
    });

    test('MediaStorage: copies in S3 are served with ranges, and removed there; a storage that is away harms nothing', async () => {
      const endpoint = `http://127.0.0.1:${s3Port}`;
      const refused = await app.request('/api/option/', {
        method: 'PUT',
        as: root,
        body: { key: 'MediaStorage', value: 's3' },
      });
      expect(refused.body.success).toBe(false);
      await save({
        MediaS3Endpoint: endpoint,
        MediaS3Bucket: 'results',
        MediaS3Region: 'us-east-1',
        MediaS3AccessKeyId: 'S3RVER',
        MediaS3Secret: 'S3RVER',
        MediaStorage: 's3',
        MediaKeepDays: '3',
      });
      const options = await app.request('/api/option/', { as: root });
      expect(JSON.stringify(options.body)).not.toContain('"value":"S3RVER","key":"MediaS3Secret"');
      const stored = await app.store.db
        .selectFrom('options')
        .select('value')
        .where('key', '=', 'MediaS3Secret')
        .executeTakeFirstOrThrow();
      expect(stored.value).not.toContain('S3RVER');
      const task = await song();
      expect(await run('media-keeping')).toBe('');
      expect(await keptRows()).toMatchObject([{ place: 's3', bytes: SONG.bytes.length }]);
      expect(await files()).toEqual([]);
      suno.files.clear();
      const { audio_url } = await clipOf(task);
      const whole = await read(audio_url);
      expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav']);
      expect((await bytesOf(whole)).equals(SONG.bytes)).toBe(true);
      await expectRanges(audio_url);
      const object = join(s3Directory, 'results', 'tollgate-media', `${task.hold_id}-audio-0._S3rver_object`);
      expect(existsSync(object)).toBe(true);

      // A task that is removed while its file is downloaded leaves no object behind.
      const more = Promise.withResolvers<void>();
      const slow = new ReadableStream({
        async pull(body) {
          await more.promise;
          body.enqueue(SONG.bytes);
          body.close();
        },
      });
      const removed = await song(new Response(slow, { headers: { 'Content-Type': 'audio/wav' } }));
      const keeping = run('media-keeping');
      await eventually(
        () => suno.reads.some((path) => path.includes(`${removed.task_id}-1.mp3`)),
        (isRead) => isRead,
      );
      await app.store.db.deleteFrom('tasks').where('id', '=', removed.id).execute();
      await run('media-cleanup');
      more.resolve();
      expect(await keeping).toBe('');
      const objects = await readdir(join(s3Directory, 'results', 'tollgate-media'));
      expect(objects.filter((name) => name.startsWith(removed.hold_id))).toEqual([]);

      // A storage that sends less than was asked for is not believed: what the upstream has is sent instead.
      const part = { status: 206, headers: { 'Content-Range': `bytes 10-14/${SONG.bytes.length}` } };
      const short = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => new Response(Buffer.from(SONG.bytes.subarray(10, 15)), part),
      });
      await save({ MediaS3Endpoint: `http://127.0.0.1:${short.port}` });
      suno.files.set(`/${task.task_id}-1.mp3`, SONG);
      const asked = await read(audio_url, { Range: 'bytes=10-29' });
      expect([asked.status, (await bytesOf(asked)).equals(Buffer.from(SONG.bytes.subarray(10, 30)))]).toEqual(
        [206, true],
      );
      await short.stop(true);
      suno.files.clear();
      await save({ MediaS3Endpoint: 'http://127.0.0.1:1' });
      expect((await read(audio_url)).status).toBe(502);
      suno.files.set(`/${task.task_id}-1.mp3`, SONG);
      expect((await read(audio_url)).status).toBe(200);
      const next = await song();
      expect(next).toMatchObject({ status: 'SUCCESS', money: 'settled' });
      expect(await run('media-keeping')).not.toBe('');
      expect(await files()).toEqual([]);
      // A private address that the operator did not open is never called.
      await save({ MediaS3Endpoint: `http://127.0.0.2:${trap.port}` });
      expect(await run('media-keeping')).toBe('');
      await app.store.db.updateTable('media').set({ next_try_at: 0 }).where('state', '=', 'wanted').execute();
      expect(await run('media-keeping')).toContain('private_address');
      expect(trapped).toBe(0);
      await save({ MediaS3Endpoint: endpoint, MediaKeepDays: '0' });
      await app.store.db.updateTable('media').set({ kept_at: 1 }).where('state', '=', 'kept').execute();
      await run('media-cleanup');
      expect([existsSync(object), await keptRows()]).toEqual([false, []]);
      await expectSoundBooks(app.store);
    });
  });
}
