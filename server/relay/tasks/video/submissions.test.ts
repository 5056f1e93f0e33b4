// What each platform is sent: the whole request, with every field that a caller can give, and with none of them.
import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { member } from '#server/models/providers/shared/json.ts';
import { doubao } from './doubao.ts';
import { hailuo } from './hailuo.ts';
import { jimeng } from './jimeng.ts';
import { kling } from './kling.ts';
import type { VideoPlatform } from './platform.ts';
import { readVideo, type Fields } from './request.ts';
import { runway } from './runway.ts';
import { sora } from './sora.ts';
import { veoAtGemini, veoAtVertex } from './veo.ts';
import { vidu } from './vidu.ts';
import { wan } from './wan.ts';

const A = 'https://a.example/a.png';
const B = 'https://a.example/b.png';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const BASE64 = PNG.toString('base64');
const DATA = `data:image/png;base64,${BASE64}`;
const CALLBACK = 'https://gate.example/v1/video/notify/1';

interface Sent {
  method: string;
  path: string;
  model?: string;
  headers?: Readonly<Record<string, string>>;
  json?: Record<string, unknown>;
  form?: FormData;
}

/** The request to the upstream, and the notes as `field: what`. */
function sent(
  platform: VideoPlatform,
  { model = 'm', callback, ...fields }: Fields & { model?: string; callback?: string },
) {
  const notes: ConversionNote[] = [];
  const given = { ...readVideo({ prompt: 'x', ...fields }, undefined), model, callbackUrl: callback };
  const request: Sent = platform.submission(given, notes);
  return { request, notes: notes.map(({ field, what, detail }) => `${field} ${what}: ${detail}`) };
}

const NO_LAST = 'last_frame_image dropped: the platform takes no last frame';
const ONE_ONLY = 'images dropped: only the first picture is used';
const UNKNOWN = 'fancy dropped: the platform has no such parameter';
const extras = (names: readonly string[]) => Object.fromEntries(names.map((name, index) => [name, index]));

test('Wan: its parameters, its inputs, and the size of a video without a picture', () => {
  const input = extras(['negative_prompt', 'audio_url', 'template']);
  const parameters = extras(['prompt_extend', 'watermark', 'seed', 'audio', 'shot_type']);
  const request = {
    method: 'POST',
    path: '/api/v1/services/aigc/video-generation/video-synthesis',
    headers: { 'X-DashScope-Async': 'enable' },
  };
  expect(sent(wan, { ...input, ...parameters, fancy: 1, last_frame_image: B })).toStrictEqual({
    request: {
      ...request,
      json: {
        model: 'm',
        input: { ...input, prompt: 'x' },
        parameters: { ...parameters, duration: 5, size: '1280*720' },
      },
    },
    notes: [NO_LAST, UNKNOWN],
  });
  expect(sent(wan, { image: A, seconds: 7, resolution: '1080p' })).toStrictEqual({
    request: {
      ...request,
      json: {
        model: 'm',
        input: { prompt: 'x', img_url: A },
        parameters: { duration: 7, resolution: '1080P' },
      },
    },
    notes: [],
  });
  expect(sent(wan, { images: [A, B] }).notes).toEqual([ONE_ONLY]);
  const sizes = (fields: Fields) => {
    const { json } = wan.submission({ ...readVideo({ prompt: 'x', ...fields }, undefined) }, []);
    return member(json, 'parameters', 'size');
  };
  expect(sizes({ size: '1000x600' })).toBe('1000*600');
  for (const [resolution, aspect_ratio, size] of [
    ['480p', '16:9', '832*480'],
    ['480p', '9:16', '480*832'],
    ['720p', '1:1', '1280*720'],
    ['1080p', '9:16', '1080*1920'],
    ['1080p', '4:3', '1920*1080'],
  ])
    expect(sizes({ resolution, aspect_ratio })).toBe(size as string);
  expect(sent(wan, { resolution: '4k' }).notes).toEqual(['size approximated: the video has 1080p']);
  for (const [resolution, planned] of [
    ['240p', '480p'],
    ['599p', '480p'],
    ['600p', '720p'],
    ['901p', '1080p'],
  ])
    expect(wan.plan(readVideo({ prompt: 'x', resolution }, undefined)).resolution).toBe(planned as string);
});

const SEEDANCE = '/v1/contents/generations/tasks';

test('Doubao: texts, pictures by their roles, and its parameters', () => {
  const parameters = extras([
    'seed',
    'camera_fixed',
    'watermark',
    'generate_audio',
    'return_last_frame',
    'service_tier',
    'execution_expires_after',
    'safety_identifier',
    'draft',
  ]);
  const picture = (url: string, role: string) => ({ type: 'image_url', image_url: { url }, role });
  expect(
    sent(doubao, {
      ...parameters,
      fancy: 1,
      image: DATA,
      last_frame_image: B,
      ratio: '21:9',
      resolution: '480P',
      seconds: 9,
      callback: CALLBACK,
    }),
  ).toStrictEqual({
    request: {
      method: 'POST',
      path: SEEDANCE,
      json: {
        ...parameters,
        model: 'm',
        content: [{ type: 'text', text: 'x' }, picture(DATA, 'first_frame'), picture(B, 'last_frame')],
        resolution: '480p',
        duration: 9,
        ratio: '21:9',
        callback_url: CALLBACK,
      },
    },
    notes: [UNKNOWN],
  });
  expect(sent(doubao, { prompt: '', images: [A, B], ratio: 'adaptive' })).toStrictEqual({
    request: {
      method: 'POST',
      path: SEEDANCE,
      json: {
        ratio: 'adaptive',
        model: 'm',
        content: [picture(A, 'reference_image'), picture(B, 'reference_image')],
        resolution: '720p',
        duration: 5,
      },
    },
    notes: [],
  });
  for (const aspect_ratio of ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])
    expect(sent(doubao, { aspect_ratio })).toMatchObject({
      request: { json: { ratio: aspect_ratio } },
      notes: [],
    });
  expect(sent(doubao, { resolution: '4k' })).toMatchObject({
    request: { json: { resolution: '1080p' } },
    notes: ['size approximated: the video has 1080p'],
  });
});

test('Doubao: what a model makes when no resolution is asked for', () => {
  const planned = (model: string, resolution?: string) =>
    doubao.plan({ ...readVideo({ prompt: 'x', resolution }, undefined), model });
  expect(planned('doubao-seedance-1-0-pro-250528')).toEqual({ seconds: 5, resolution: '1080p' });
  expect(planned('doubao-seedance-1-0-lite')).toEqual({ seconds: 5, resolution: '720p' });
  expect(planned('m', '500p').resolution).toBe('480p');
  expect(planned('m', '800p').resolution).toBe('720p');
});

test('Doubao: each command of a prompt is taken only as a value that it can have', () => {
  const DROPPED = 'the prompt may set duration, resolution and ratio';
  const read = (command: string) => {
    const { request, notes } = sent(doubao, { prompt: `a gate ${command}` });
    const { content, duration, resolution, ratio } = request.json as Fields;
    return [(content as { text: string }[])[0]?.text, duration, resolution, ratio, notes];
  };
  for (const command of ['--dur 7', '--duration 7', '--DUR 7'])
    expect(read(command)).toEqual(['a gate', 7, '720p', undefined, []]);
  for (const command of ['--rs 480p', '--resolution 480P'])
    expect(read(command)).toEqual(['a gate', 5, '480p', undefined, []]);
  for (const command of ['--rt 1:1', '--ratio 1:1'])
    expect(read(command)).toEqual(['a gate', 5, '720p', '1:1', []]);
  for (const command of [
    '--dur 0',
    '--dur 05',
    '--dur 1234',
    '--dur 7s',
    '--dur x7',
    '--rs 48p',
    '--rs 48000p',
    '--rs x480p',
    '--rs 480px',
    '--rs 480',
    '--rt 1:1:1',
    '--rt 123:1',
    '--rt 1:123',
    '--rt x1:1',
    '--ratio 480p',
    '--resolution 9:16',
    '--dur 480p',
    '--fps 60',
    '--framepersecond 60',
    '--frames 100',
  ]) {
    const name = command.split(' ')[0] as string;
    expect(read(command)).toEqual(['a gate', 5, '720p', undefined, [`${name} dropped: ${DROPPED}`]]);
  }
  expect(read('--dur 999')).toEqual(['a gate', 999, '720p', undefined, []]);
  expect(read('--rs 1080p --rt 16:10')).toMatchObject({ 2: '1080p', 3: '16:9' });
  expect(read('')[0]).toBe('a gate');
  expect(sent(doubao, { prompt: '--dur 7 a gate' }).request.json?.['content']).toEqual([
    { type: 'text', text: 'a gate' },
  ]);
  // What the request says itself counts.
  const both = {
    prompt: 'a --dur 7 --rs 480p --rt 1:1',
    seconds: 9,
    resolution: '1080p',
    aspect_ratio: '9:16',
  };
  expect(sent(doubao, both)).toMatchObject({
    request: { json: { duration: 9, resolution: '1080p', ratio: '9:16' } },
    notes: [],
  });
  // A word that only ends like a command is text, and so is an option of the platform.
  expect(read('x--dur 7')[0]).toBe('a gate x--dur 7');
  expect(read('--seed 7')[0]).toBe('a gate --seed 7');
  expect(sent(doubao, { prompt: '--dur 7', image: A }).request.json?.['content']).toHaveLength(1);
});

test('Hailuo: lengths and resolutions of its models, first and last frame', () => {
  const parameters = extras(['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark', 'subject_reference']);
  expect(
    sent(hailuo, { ...parameters, fancy: 1, image: DATA, last_frame_image: B, seconds: 9 }),
  ).toStrictEqual({
    request: {
      method: 'POST',
      path: '/v1/video_generation',
      json: {
        ...parameters,
        model: 'm',
        prompt: 'x',
        duration: 10,
        resolution: '768P',
        first_frame_image: DATA,
        last_frame_image: B,
      },
    },
    notes: ['seconds approximated: the video has 10 seconds', UNKNOWN],
  });
  const NO_SHAPE = 'aspect_ratio dropped: the platform has no such parameter';
  for (const model of ['T2V-01', 'I2V-01-live', 'S2V-01', 'video-01'])
    expect(sent(hailuo, { model, aspect_ratio: '1:1', seconds: 9 })).toStrictEqual({
      request: { method: 'POST', path: '/v1/video_generation', json: { model, prompt: 'x' } },
      notes: ['seconds approximated: the video has 6 seconds', NO_SHAPE],
    });
  expect(sent(hailuo, { size: '1366x768', images: [A, B] }).notes).toEqual([ONE_ONLY]);
  const plans = (fields: Fields) => hailuo.plan(readVideo({ prompt: 'x', ...fields }, undefined));
  expect(plans({})).toEqual({ seconds: 6, resolution: '768p' });
  expect(plans({ seconds: 8 })).toEqual({ seconds: 10, resolution: '768p' });
  expect(plans({ seconds: 7, resolution: '512p' })).toEqual({ seconds: 6, resolution: '512p' });
  expect(plans({ seconds: 10, resolution: '1080p' })).toEqual({ seconds: 6, resolution: '1080p' });
  expect(plans({ model: 'x-video-01', seconds: 10 }).seconds).toBe(10);
  expect(sent(hailuo, { resolution: '480p' }).notes).toEqual(['size approximated: the video has 512p']);
});

test('Jimeng: frames, pictures by address and as data', () => {
  const parameters = extras(['seed', 'template_id', 'camera_strength']);
  const request = { method: 'POST', path: '/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31' };
  const long = `data:image/jpeg;base64,${BASE64}`;
  expect(
    sent(jimeng, {
      ...parameters,
      fancy: 1,
      images: [A, DATA, B, long],
      last_frame_image: B,
      aspect_ratio: '3:4',
      seconds: 9,
    }),
  ).toStrictEqual({
    request: {
      ...request,
      json: {
        ...parameters,
        req_key: 'm',
        prompt: 'x',
        frames: 241,
        aspect_ratio: '3:4',
        image_urls: [A, B],
        binary_data_base64: [BASE64, BASE64],
      },
    },
    notes: ['seconds approximated: the video has 10 seconds', NO_LAST, UNKNOWN],
  });
  expect(sent(jimeng, { model: 'jimeng_v30_pro', resolution: '720p' })).toStrictEqual({
    request: { ...request, json: { req_key: 'jimeng_v30_pro', prompt: 'x', frames: 121 } },
    notes: ['size approximated: the video has 1080p'],
  });
  for (const aspect_ratio of ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])
    expect(sent(jimeng, { aspect_ratio })).toMatchObject({ request: { json: { aspect_ratio } }, notes: [] });
  const planned = (model: string, seconds?: number) =>
    jimeng.plan({ ...readVideo({ prompt: 'x', seconds }, undefined), model });
  expect(planned('jimeng_t2v_v30_1080p')).toEqual({ seconds: 5, resolution: '1080p' });
  expect(planned('jimeng_t2v_v30', 8)).toEqual({ seconds: 10, resolution: '720p' });
});

test('Kling: its modes, and the path and the frames of a video from a picture', () => {
  const parameters = extras([
    'negative_prompt',
    'cfg_scale',
    'sound',
    'camera_control',
    'static_mask',
    'dynamic_masks',
    'external_task_id',
    'voice_list',
    'watermark_info',
  ]);
  const fields = { ...parameters, fancy: 1, resolution: '1080p', seconds: 8, callback: CALLBACK };
  const json = {
    ...parameters,
    model_name: 'm',
    prompt: 'x',
    duration: '10',
    mode: 'pro',
    callback_url: CALLBACK,
  };
  const approximated = 'seconds approximated: the video has 10 seconds';
  expect(sent(kling, { ...fields, aspect_ratio: '9:16' })).toStrictEqual({
    request: { method: 'POST', path: '/v1/videos/text2video', json: { ...json, aspect_ratio: '9:16' } },
    notes: [approximated, UNKNOWN],
  });
  expect(sent(kling, { ...fields, aspect_ratio: '9:16', image: DATA, last_frame_image: B })).toStrictEqual({
    request: {
      method: 'POST',
      path: '/v1/videos/image2video',
      json: { ...json, image: BASE64, image_tail: B },
    },
    notes: [approximated, UNKNOWN],
  });
  expect(sent(kling, {})).toStrictEqual({
    request: {
      method: 'POST',
      path: '/v1/videos/text2video',
      json: { model_name: 'm', prompt: 'x', duration: '5', mode: 'std' },
    },
    notes: [],
  });
  expect(sent(kling, { images: [A, B] }).notes).toEqual([ONE_ONLY]);
  const planned = (given: Fields) => kling.plan(readVideo({ prompt: 'x', ...given }, undefined)).resolution;
  expect(planned({ resolution: '720p' })).toBe('720p');
  expect(planned({ resolution: '721p' })).toBe('1080p');
  expect(planned({ resolution: '1080p', mode: 'std' })).toBe('720p');
  expect(planned({ mode: 'pro' })).toBe('1080p');
  expect(planned({ mode: 'fast' })).toBe('720p');
  expect(sent(kling, { mode: 'pro', resolution: '720p' })).toMatchObject({
    request: { json: { mode: 'pro' } },
    notes: ['size approximated: the video has 1080p'],
  });
  for (const aspect_ratio of ['16:9', '9:16', '1:1']) expect(sent(kling, { aspect_ratio }).notes).toEqual([]);
});

test('Runway: the ratio in pixels, and the path of a video from a picture', () => {
  const parameters = extras(['seed', 'contentModeration', 'audio']);
  expect(
    sent(runway, { ...parameters, fancy: 1, image: DATA, last_frame_image: B, size: '1584x672', seconds: 8 }),
  ).toStrictEqual({
    request: {
      method: 'POST',
      path: '/v1/image_to_video',
      json: {
        ...parameters,
        model: 'm',
        promptText: 'x',
        ratio: '1584:672',
        duration: 10,
        promptImage: DATA,
      },
    },
    notes: ['seconds approximated: the video has 10 seconds', NO_LAST, UNKNOWN],
  });
  expect(sent(runway, {})).toStrictEqual({
    request: {
      method: 'POST',
      path: '/v1/text_to_video',
      json: { model: 'm', promptText: 'x', ratio: '1280:720', duration: 5 },
    },
    notes: [],
  });
  for (const [aspect_ratio, ratio] of [
    ['9:16', '720:1280'],
    ['1:1', '960:960'],
    ['4:3', '1280:720'],
  ])
    expect(sent(runway, { aspect_ratio }).request.json).toMatchObject({ ratio });
  expect(sent(runway, { images: [A, B] }).notes).toEqual([ONE_ONLY]);
  const seconds = (model: string, wish?: number) =>
    runway.plan({ ...readVideo({ prompt: 'x', seconds: wish }, undefined), model }).seconds;
  expect([seconds('gen4'), seconds('gen4', 7), seconds('gen4', 8)]).toEqual([5, 5, 10]);
  expect([seconds('veo3'), seconds('veo3', 5), seconds('veo3', 7)]).toEqual([4, 6, 8]);
});

test('Sora: the fields of the caller; data as a form', async () => {
  const request = { method: 'POST', path: '/v1/videos' };
  expect(sent(sora, {})).toStrictEqual({
    request: { ...request, json: { model: 'm', prompt: 'x' } },
    notes: [],
  });
  const given = { fancy: { a: 1 }, seconds: 8, size: '720x1280' };
  const fields = { fancy: { a: 1 }, model: 'm', prompt: 'x', seconds: '8', size: '720x1280' };
  expect(sent(sora, { ...given, image: A })).toStrictEqual({
    request: { ...request, json: { ...fields, input_reference: { image_url: A } } },
    notes: [],
  });
  const { form, ...rest } = sent(sora, { ...given, image: DATA }).request;
  expect(rest).toStrictEqual({ ...request } as typeof rest);
  const parts = [...(form as unknown as Iterable<[string, unknown]>)];
  expect(parts.slice(0, -1)).toEqual(Object.entries({ ...fields, fancy: '{"a":1}' }));
  const [name, file] = parts.at(-1) as [string, File];
  expect([name, file.name, file.type]).toEqual(['input_reference', 'reference.png', 'image/png']);
  expect(Buffer.from(await file.arrayBuffer()).equals(PNG)).toBe(true);
  expect(sora.plan(readVideo({ prompt: 'x' }, undefined))).toEqual({ seconds: 4, resolution: '720p' });
});

test('Veo: instances and parameters, which an earlier model has less of', () => {
  const parameters = extras([
    'negativePrompt',
    'personGeneration',
    'seed',
    'enhancePrompt',
    'generateAudio',
    'compressionQuality',
    'resizeMode',
  ]);
  const request = { method: 'POST', path: ':predictLongRunning' };
  for (const platform of [veoAtGemini, veoAtVertex]) {
    expect(
      sent(platform, {
        ...parameters,
        model: 'veo-3',
        fancy: 1,
        image: DATA,
        last_frame_image: 'https://a.example/b.png',
        size: '2160x3840',
        seconds: 4,
      }),
    ).toStrictEqual({
      request: {
        ...request,
        model: 'veo-3',
        json: {
          instances: [
            {
              prompt: 'x',
              image: { bytesBase64Encoded: BASE64, mimeType: 'image/png' },
              lastFrame: { gcsUri: B },
            },
          ],
          parameters: {
            ...parameters,
            sampleCount: 1,
            durationSeconds: 8,
            aspectRatio: '9:16',
            resolution: '4k',
          },
        },
      },
      notes: ['seconds approximated: the video has 8 seconds', UNKNOWN],
    });
    expect(sent(platform, { model: 'veo-2.0', images: [A, B], resolution: '1080p' })).toStrictEqual({
      request: {
        ...request,
        model: 'veo-2.0',
        json: {
          instances: [{ prompt: 'x', image: { gcsUri: A } }],
          parameters: { sampleCount: 1, durationSeconds: 8 },
        },
      },
      notes: ['size approximated: the video has 720p', ONE_ONLY],
    });
  }
  const planned = (model: string, fields: Fields) =>
    veoAtGemini.plan({ ...readVideo({ prompt: 'x', ...fields }, undefined), model });
  expect(planned('veo-2', { seconds: 4 })).toEqual({ seconds: 5, resolution: '720p' });
  expect(planned('veo-2', { seconds: 7 })).toEqual({ seconds: 7, resolution: '720p' });
  expect(planned('veo-2', { seconds: 6 })).toEqual({ seconds: 6, resolution: '720p' });
  expect(planned('veo-3', { seconds: 4 })).toEqual({ seconds: 4, resolution: '720p' });
  expect(planned('veo-3', { seconds: 6 })).toEqual({ seconds: 6, resolution: '720p' });
  expect(planned('veo-3', {})).toEqual({ seconds: 8, resolution: '720p' });
  expect(planned('veo-3', { seconds: 4, resolution: '1080p' })).toEqual({ seconds: 8, resolution: '1080p' });
  expect(sent(veoAtGemini, { model: 'veo-3', resolution: '1080p' }).request.json).toMatchObject({
    parameters: { resolution: '1080p' },
  });
});

test('Vidu: each number of pictures has its path', () => {
  const parameters = extras([
    'seed',
    'style',
    'movement_amplitude',
    'bgm',
    'payload',
    'off_peak',
    'watermark',
    'wm_position',
    'wm_url',
    'audio',
    'voice_id',
    'is_rec',
  ]);
  const json = { model: 'm', prompt: 'x', duration: 5, resolution: '720p' };
  const shape = { aspect_ratio: '3:4' };
  const at = (fields: Fields) => {
    const { request, notes } = sent(vidu, { ...shape, ...fields });
    expect([request.method, notes]).toEqual(['POST', []]);
    return [request.path, request.json];
  };
  expect(
    sent(vidu, { ...parameters, ...shape, fancy: 1, seconds: 9, resolution: '4k', callback: CALLBACK }),
  ).toStrictEqual({
    request: {
      method: 'POST',
      path: '/ent/v2/text2video',
      json: { ...parameters, ...json, ...shape, duration: 9, resolution: '1080p', callback_url: CALLBACK },
    },
    notes: ['size approximated: the video has 1080p', UNKNOWN],
  });
  expect(at({})).toStrictEqual(['/ent/v2/text2video', { ...json, ...shape }]);
  expect(at({ image: DATA })).toStrictEqual(['/ent/v2/img2video', { ...json, images: [DATA] }]);
  expect(at({ image: A, last_frame_image: B })).toStrictEqual([
    '/ent/v2/start-end2video',
    { ...json, images: [A, B] },
  ]);
  expect(at({ images: [A, B] })).toStrictEqual([
    '/ent/v2/reference2video',
    { ...json, ...shape, images: [A, B] },
  ]);
  expect(at({ images: [A, B], last_frame_image: A })[0]).toBe('/ent/v2/reference2video');
  for (const aspect_ratio of ['16:9', '9:16', '1:1', '4:3', '3:4'])
    expect(sent(vidu, { aspect_ratio })).toMatchObject({ request: { json: { aspect_ratio } }, notes: [] });
  for (const [resolution, planned] of [
    ['240p', '360p'],
    ['500p', '540p'],
    ['700p', '720p'],
    ['1080p', '1080p'],
  ])
    expect(vidu.plan(readVideo({ prompt: 'x', resolution }, undefined)).resolution).toBe(planned as string);
});
