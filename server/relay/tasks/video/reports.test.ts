// What each platform's answers mean: the id of a video, its report, and the requests that ask for it, cancel it and delete it.
import { expect, test } from 'bun:test';
import { doubao } from './doubao.ts';
import { hailuo } from './hailuo.ts';
import { jimeng } from './jimeng.ts';
import { kling } from './kling.ts';
import type { UpstreamRequest, VideoPlatform } from './platform.ts';
import { runway } from './runway.ts';
import { sora } from './sora.ts';
import { veoAtGemini, veoAtVertex } from './veo.ts';
import { vidu } from './vidu.ts';
import { wan } from './wan.ts';

const SENT: UpstreamRequest = { method: 'POST', path: '/' };
const URL_OF = 'https://a.example/video.mp4';
const ID = 'a/b 1';
const CODED = 'a%2Fb%201';

/** What the console and the limits of reports know of a platform. */
test('names, and the longest video of each platform', () => {
  const platforms = [doubao, hailuo, jimeng, kling, runway, sora, veoAtGemini, veoAtVertex, vidu, wan];
  expect(
    platforms.map(({ name, longestSeconds, takesPictureData = false }) => [
      name,
      longestSeconds,
      takesPictureData,
    ]),
  ).toEqual([
    ['doubao', 15, false],
    ['hailuo', 10, false],
    ['jimeng', 10, false],
    ['kling', 15, false],
    ['runway', 10, false],
    ['sora', 60, false],
    ['veo', 8, true],
    ['veo-vertex', 8, true],
    ['vidu', 16, false],
    ['wan', 15, false],
  ]);
});

test('the requests about a video that is known', () => {
  const get = (path: string) => ({ method: 'GET', path });
  const post = (path: string, json: object) => ({ method: 'POST', path, json });
  const remove = (path: string) => ({ method: 'DELETE', path });
  const about = (platform: VideoPlatform) => ({
    question: platform.question(ID),
    cancel: platform.cancel?.(ID),
    remove: platform.remove?.(ID),
    content: platform.contentAt?.(ID, 'video', 'f/1'),
    remix: platform.remix?.(ID, 'at night'),
  });
  const none = { cancel: undefined, remove: undefined, content: undefined, remix: undefined };
  const seedance = `/v1/contents/generations/tasks/${CODED}`;
  expect(about(doubao)).toStrictEqual({
    ...none,
    question: get(seedance),
    cancel: remove(seedance),
    remove: remove(seedance),
  } as never);
  expect(about(hailuo)).toStrictEqual({
    ...none,
    question: get(`/v1/query/video_generation?task_id=${CODED}`),
    content: get('/v1/files/retrieve?file_id=f%2F1'),
  } as never);
  expect(about(kling)).toStrictEqual({ ...none, question: get(`/v1/videos/${ID}`) } as never);
  expect(about(runway)).toStrictEqual({
    ...none,
    question: get(`/v1/tasks/${CODED}`),
    cancel: remove(`/v1/tasks/${CODED}`),
    remove: remove(`/v1/tasks/${CODED}`),
  } as never);
  const soras = `/v1/videos/${CODED}`;
  expect(about(sora)).toStrictEqual({
    ...none,
    question: get(soras),
    remove: remove(soras),
    content: get(`${soras}/content`),
    remix: post(`${soras}/remix`, { prompt: 'at night' }),
  } as never);
  expect(sora.contentAt?.(ID, 'thumbnail', '')).toStrictEqual(
    get(`${soras}/content?variant=thumbnail`) as never,
  );
  expect(about(veoAtGemini)).toStrictEqual({
    ...none,
    question: get(`/${ID}`),
    content: get('f/1'),
  } as never);
  expect(about(vidu)).toStrictEqual({
    ...none,
    question: get(`/ent/v2/tasks/${CODED}/creations`),
    cancel: post(`/ent/v2/tasks/${CODED}/cancel`, { id: ID }),
  } as never);
  expect(about(wan)).toStrictEqual({
    ...none,
    question: get(`/api/v1/tasks/${CODED}`),
    cancel: post(`/api/v1/tasks/${CODED}/cancel`, {}),
  } as never);
  const [action, version] = ['/?Action=CVSync2AsyncGetResult', 'Version=2022-08-31'];
  expect(jimeng.question('jimeng_v3/17')).toStrictEqual(
    post(`${action}&${version}`, { req_key: 'jimeng_v3', task_id: '17' }) as never,
  );
  const operation = 'projects/p/locations/l/publishers/google/models/veo-3/operations/17';
  const fetched = { ...post(':fetchPredictOperation', { operationName: operation }), model: 'veo-3' };
  expect(veoAtVertex.question(operation)).toStrictEqual(fetched as never);
  expect(veoAtVertex.contentAt?.(operation, 'video', '')).toStrictEqual(fetched as never);
  expect(veoAtVertex.question('unknown').model).toBe('');
});

test.each([
  [doubao, { id: 'cgt-1' }, 'cgt-1'],
  [hailuo, { task_id: 17 }, '17'],
  [runway, { id: 'r-1' }, 'r-1'],
  [sora, { id: 'video_1' }, 'video_1'],
  [veoAtGemini, { name: 'models/veo-3/operations/1' }, 'models/veo-3/operations/1'],
  [veoAtVertex, { name: 'models/veo-3/operations/1' }, 'models/veo-3/operations/1'],
  [vidu, { task_id: 'v-1' }, 'v-1'],
  [wan, { output: { task_id: 'w-1' } }, 'w-1'],
] as const)('the id of a video is in the answer to its submission', (platform, answer, id) => {
  expect(platform.idIn(answer, SENT)).toBe(id);
  expect(platform.idIn({}, SENT)).toBe('');
});

test('the id of Kling has the path of the submission, that of Jimeng the model', () => {
  const answer = { data: { task_id: 17 } };
  expect(kling.idIn(answer, { method: 'POST', path: '/v1/videos/image2video' })).toBe('image2video/17');
  expect(kling.idIn({}, { method: 'POST', path: '/v1/videos/image2video' })).toBe('');
  expect(jimeng.idIn(answer, { ...SENT, json: { req_key: 'jimeng_v3' } })).toBe('jimeng_v3/17');
  expect(jimeng.idIn({ data: {} }, { ...SENT, json: { req_key: 'jimeng_v3' } })).toBe('');
});

/** The status of each word of a platform; an unknown word is no report. */
function statuses(platform: VideoPlatform, words: readonly string[], answer: (word: string) => unknown) {
  expect(platform.report(answer('unheard-of'))).toBeUndefined();
  return words.map((word) => platform.report(answer(word))?.status);
}

test('the words for a status', () => {
  const [Q, P, S, F] = ['QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const;
  const plain = (status: string) => ({ status });
  const seedance = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'];
  expect(statuses(doubao, seedance, plain)).toEqual([Q, P, S, F, F, F]);
  const hailuos = ['Preparing', 'Queueing', 'Processing', 'Success', 'Fail'];
  expect(statuses(hailuo, hailuos, (status) => ({ status, file_id: 'f' }))).toEqual([Q, Q, P, S, F]);
  const jimengs = ['in_queue', 'generating', 'done', 'expired'];
  const ofJimeng = (status: string) => ({ code: 10_000, data: { status, video_url: URL_OF } });
  expect(statuses(jimeng, jimengs, ofJimeng)).toEqual([Q, P, S, F]);
  const klings = ['submitted', 'processing', 'succeed', 'failed'];
  expect(statuses(kling, klings, (task_status) => ({ data: { task_status } }))).toEqual([Q, P, S, F]);
  const runways = ['PENDING', 'THROTTLED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'];
  expect(statuses(runway, runways, plain)).toEqual([Q, Q, P, S, F, F]);
  expect(statuses(sora, ['queued', 'in_progress', 'completed', 'failed'], plain)).toEqual([Q, P, S, F]);
  const vidus = ['created', 'queueing', 'processing', 'success', 'failed'];
  expect(statuses(vidu, vidus, (state) => ({ state }))).toEqual([Q, Q, P, S, F]);
  const wans = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'];
  expect(statuses(wan, wans, (task_status) => ({ output: { task_status } }))).toEqual([Q, P, S, F, F]);
});

const succeeded = { status: 'SUCCESS', failReason: '', url: URL_OF } as const;
const failed = { status: 'FAILURE', url: '' } as const;

test('Wan reports seconds, lines, an address, or why there is none', () => {
  const made = { task_status: 'SUCCEEDED', video_url: URL_OF };
  expect(wan.report({ output: made, usage: { duration: 7, video_duration: 5, SR: 480 } })).toStrictEqual({
    ...succeeded,
    seconds: 7,
    resolution: '480p',
  });
  expect(wan.report({ output: made, usage: { video_duration: 1, SR: 1 } })).toStrictEqual({
    ...succeeded,
    seconds: 1,
    resolution: '1p',
  });
  expect(wan.report({ output: made })).toStrictEqual(succeeded);
  const why = (task_status: string, message?: string) => wan.report({ output: { task_status, message } });
  expect(why('FAILED', 'Too dark')).toStrictEqual({ ...failed, failReason: 'Too dark' });
  expect(why('FAILED')).toStrictEqual({ ...failed, failReason: '' });
  expect(why('CANCELED')).toStrictEqual({ ...failed, failReason: 'The task is cancelled' });
  expect(why('UNKNOWN')).toStrictEqual({ status: 'IN_PROGRESS', isLost: true });
});

test('Doubao reports seconds, tokens, the resolution and the last frame', () => {
  const made = { status: 'succeeded', content: { video_url: URL_OF, last_frame_url: 'https://a.example/l' } };
  const report = { ...succeeded, imageUrl: 'https://a.example/l' };
  expect(
    doubao.report({
      ...made,
      duration: 5,
      resolution: '480p',
      usage: { completion_tokens: 700, total_tokens: 900 },
    }),
  ).toStrictEqual({ ...report, seconds: 5, tokens: 700, resolution: '480p' });
  expect(
    doubao.report({ ...made, duration: 1, resolution: 'x480p', usage: { total_tokens: 1 } }),
  ).toStrictEqual({ ...report, seconds: 1, tokens: 1 });
  expect(doubao.report({ ...made, resolution: '480px' })).toStrictEqual(report);
  const why = (status: string, error?: object) => doubao.report({ status, error });
  expect(why('failed', { message: 'Too dark' })).toStrictEqual({
    ...failed,
    failReason: 'Too dark',
    imageUrl: '',
  });
  for (const word of ['failed', 'cancelled', 'expired'])
    expect(why(word)?.failReason).toBe(`The task is ${word}`);
  expect(why('running')?.failReason).toBe('');
});

test('Hailuo reports a file and the lines of its picture', () => {
  const made = { status: 'Success', file_id: 17, base_resp: { status_msg: 'success' } };
  const report = { status: 'SUCCESS', failReason: 'success', file: '17' } as const;
  expect(hailuo.report({ ...made, video_width: 1366, video_height: 768 })).toStrictEqual({
    ...report,
    resolution: '768p',
  });
  for (const [video_width, video_height, resolution] of [
    [512, 900, '512p'],
    [1, 1, '512p'],
    [1280, 720, '720p'],
    [1900, 1000, '1080p'],
  ])
    expect(hailuo.report({ ...made, video_width, video_height })).toMatchObject({ resolution });
  expect(hailuo.report({ ...made, video_width: 1366 })).toStrictEqual(report);
  // The file of a finished video is what its callers read: without it the answer is no report.
  expect(hailuo.report({ status: 'Success' })).toBeUndefined();
  expect(hailuo.report({ status: 'Fail', base_resp: { status_msg: 'Too dark' } })).toStrictEqual({
    status: 'FAILURE',
    failReason: 'Too dark',
  });
  expect(hailuo.contentIn?.({ file: { download_url: URL_OF } })).toEqual({ url: URL_OF });
});

test('Jimeng: which codes are about the video, and which about the question', () => {
  const report = (code: unknown, data?: object) => jimeng.report({ code, message: 'Too dark', data });
  const finished = { status: 'done', video_url: URL_OF };
  expect(report(10_000, finished)).toStrictEqual({ status: 'SUCCESS', url: URL_OF, failReason: '' });
  expect(report(10_000, { status: 'done' })).toStrictEqual({
    status: 'FAILURE',
    failReason: 'The upstream returned no video',
  });
  expect(report(10_000, { status: 'expired' })).toStrictEqual({
    status: 'FAILURE',
    url: '',
    failReason: 'The task is expired',
  });
  expect(report(10_000, { status: 'in_queue' })).toStrictEqual({ status: 'QUEUED', url: '', failReason: '' });
  expect(report(10_000, { status: 'not_found' })).toStrictEqual({ status: 'IN_PROGRESS', isLost: true });
  for (const code of [50_411, 50_412, 50_413, 50_511, 50_512, 50_514, 50_516, 50_517, 50_518, 50_519])
    expect(report(code)).toStrictEqual({ status: 'FAILURE', failReason: 'Too dark' });
  for (const code of [50_410, 50_414, 50_429, 50_430, 50_510, 50_513, 50_515, 50_520])
    expect(report(code, finished)).toBeUndefined();
  expect(report('10000', finished)).toBeUndefined();
});

test('Kling reports seconds and an address', () => {
  const report = (data: object) => kling.report({ data: { task_status: 'succeed', ...data } });
  const videos = (duration?: string) => ({ task_result: { videos: [{ url: URL_OF, duration }] } });
  expect(report(videos('5.1'))).toStrictEqual({ ...succeeded, seconds: 5.1 });
  for (const duration of ['0', '-5', undefined]) expect(report(videos(duration))).toStrictEqual(succeeded);
  expect(report({ task_status: 'failed', task_status_msg: 'Too dark' })).toStrictEqual({
    ...failed,
    failReason: 'Too dark',
  });
});

test('Runway reports progress and an address', () => {
  expect(runway.report({ status: 'SUCCEEDED', output: [URL_OF, 'https://a.example/2'] })).toStrictEqual(
    succeeded,
  );
  expect(runway.report({ status: 'RUNNING', progress: 0.126 })).toStrictEqual({
    status: 'IN_PROGRESS',
    failReason: '',
    progress: 13,
  });
  expect(runway.report({ status: 'RUNNING', progress: 0.124, output: [7] })).toMatchObject({ progress: 12 });
  expect(runway.report({ status: 'FAILED', failure: 'Too dark' })).toStrictEqual({
    status: 'FAILURE',
    failReason: 'Too dark',
  });
  expect(runway.report({ status: 'CANCELLED', failure: 'Too dark' })?.failReason).toBe('Too dark');
  expect(runway.report({ status: 'CANCELLED' })?.failReason).toBe('The task is cancelled');
});

test('Sora reports seconds, progress and the size', () => {
  const report = (fields: object) => sora.report({ status: 'in_progress', ...fields });
  const running = { status: 'IN_PROGRESS', failReason: '' } as const;
  expect(report({ progress: 40, seconds: '8', size: '1792x1024' })).toStrictEqual({
    ...running,
    progress: 40,
    seconds: 8,
    resolution: '1024p',
  });
  for (const size of ['x1792x1024', '1792x1024x', '1024'])
    expect(report({ seconds: '0', size })).toStrictEqual({ ...running, progress: 0 });
  expect(report({ seconds: 0.5 })).toMatchObject({ seconds: 0.5 });
  expect(report({ status: 'failed', error: { message: 'Too dark' } })).toStrictEqual({
    status: 'FAILURE',
    failReason: 'Too dark',
    progress: 0,
  });
});

test('Veo: running, failed, filtered, or a video at an address or inside of the answer', () => {
  const report = (fields: object) => veoAtGemini.report({ name: 'operations/1', ...fields });
  expect(veoAtGemini.report({ done: true, response: {} })).toBeUndefined();
  expect(report({})).toStrictEqual({ status: 'IN_PROGRESS' });
  expect(report({ done: false, error: { message: 'Too dark' } })).toStrictEqual({ status: 'IN_PROGRESS' });
  expect(report({ done: true, error: { message: 'Too dark' } })).toStrictEqual({
    status: 'FAILURE',
    failReason: 'Too dark',
  });
  const at = (uri: string) =>
    report({
      done: true,
      response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } },
    });
  expect(at('https://g.example/v1beta/files/17:download?alt=media')).toStrictEqual({
    status: 'SUCCESS',
    file: '/files/17:download?alt=media',
  });
  expect(at('https://g.example/files/v1beta/17')).toMatchObject({ file: '/files/v1beta/17' });
  expect(at('https://g.example/videos/17')).toMatchObject({ file: '/videos/17' });
  expect(at('no address')).toStrictEqual({ status: 'SUCCESS', file: '' });
  expect(report({ done: true, response: { videos: [{ bytesBase64Encoded: 'AAAA' }] } })).toStrictEqual({
    status: 'SUCCESS',
  });
  const nothing = { status: 'FAILURE', failReason: 'The upstream returned no video' } as const;
  expect(report({ done: true, response: {} })).toStrictEqual(nothing);
  const filtered = { raiMediaFilteredReasons: ['Too dark', 'Too loud'] };
  for (const response of [filtered, { generateVideoResponse: filtered }])
    expect(report({ done: true, response })).toStrictEqual({ status: 'FAILURE', failReason: 'Too dark' });
  const content = (video: object) => veoAtVertex.contentIn?.({ response: { videos: [video] } });
  expect(content({ bytesBase64Encoded: 'AAAA', mimeType: 'video/webm' })).toEqual({
    base64: 'AAAA',
    type: 'video/webm',
  });
  expect(content({ bytesBase64Encoded: 'AAAA' })).toEqual({ base64: 'AAAA', type: 'video/mp4' });
  expect(content({})).toBeUndefined();
});

test('Vidu reports an address and a picture', () => {
  const creations = [{ url: URL_OF, cover_url: 'https://a.example/c' }];
  expect(vidu.report({ state: 'success', creations })).toStrictEqual({
    ...succeeded,
    imageUrl: 'https://a.example/c',
  });
  expect(vidu.report({ state: 'failed', err_code: 'TooDark' })).toStrictEqual({
    ...failed,
    failReason: 'TooDark',
    imageUrl: '',
  });
});
