// The money of videos: prices by second, resolution, clip and token.
const facts = 'server/tasks/video/facts.ts';
const read = 'server/tasks/video/read.ts';
const submit = 'server/tasks/video/submit.ts';
const video = 'server/tasks/video/video.ts';
const tests = ['tests/integration/video/video.test.ts'];
const chargeTests = { tests: ['server/billing/charge.test.ts'] };
const priceTests = { tests: ['server/billing/price.test.ts'] };

export const videos = [
  {
    name: 'resolution-price-is-ignored',
    file: 'server/billing/price.ts',
    find: 'return (resolutionPrices && own(resolutionPrices, resolution)) ?? modelPrice;',
    replace: 'return modelPrice;',
    ...chargeTests,
    title: 'price of its resolution',
    meaning: 'A video of a dear resolution costs the usual price.',
  },
  {
    name: 'second-is-a-call',
    file: 'server/billing/price.ts',
    find: "(list.perSecond === undefined ? 'call' : 'second')",
    replace: "'call'",
    ...priceTests,
    title: 'a price by the second',
    meaning: 'A video of a minute costs as much as a second.',
  },
  {
    name: 'list-resolutions-for-own-price',
    file: 'server/billing/price.ts',
    find: '...pieceOf(settings, list, name, {}),',
    replace: '...pieceOf(settings, list, name, list.resolutions ?? {}),',
    ...priceTests,
    title: 'a price by the second',
    meaning: "A resolution costs the list's price although the operator has set a price.",
  },
  {
    name: 'video-seconds-are-one',
    file: facts,
    find: "pieces: price.unit === 'second' ? seconds : 1,",
    replace: 'pieces: 1,',
    tests,
    title: 'charged once for what was made',
    meaning: 'Every video costs one second.',
  },
  {
    name: 'clip-by-the-second',
    file: facts,
    find: "pieces: price.unit === 'second' ? seconds : 1,",
    replace: 'pieces: seconds,',
    tests,
    title: 'by clip, by tokens',
    meaning: 'A price for a clip is taken for every second.',
  },
  {
    name: 'reported-tokens-are-ignored',
    file: facts,
    find: 'tokens > 0 ? tokens : estimatedTokens({ seconds, resolution })',
    replace: 'estimatedTokens({ seconds, resolution })',
    tests,
    title: 'by clip, by tokens',
    meaning: 'A video by tokens is charged by the estimate.',
  },
  {
    name: 'video-as-asked-not-as-made',
    file: video,
    find: '...(length >= 1 && length <= longestSeconds ? { seconds: length } : {}),',
    replace: '',
    tests,
    title: 'shorter than asked for',
    meaning: 'A video shorter than asked for costs the whole length.',
  },
  {
    name: 'failed-video-is-charged',
    file: video,
    find: "if (task.status !== 'SUCCESS') return undefined;",
    replace: '',
    tests,
    title: 'moderated, lost or late',
    meaning: 'A video that failed costs its price.',
  },
  {
    name: 'uncancelled-video-is-free',
    file: read,
    find: '|| !(await isDone(core, channel, request)))',
    replace: '|| !((await isDone(core, channel, request)) || true))',
    tests,
    title: 'delete: a queued video',
    meaning: 'A caller deletes a running video, which the upstream goes on making, and pays nothing.',
  },
  {
    name: 'foreign-video-is-read',
    file: read,
    find: "          .where('platform', '=', video.name)\n          .where('user_id', '=', userId)\n          .executeTakeFirst();",
    replace: "          .where('platform', '=', video.name)\n          .executeTakeFirst();",
    tests,
    title: "another user's video",
    meaning: "A caller who knows the id reads, remixes and deletes another user's video.",
  },
  {
    name: 'video-without-id-is-sent-again',
    file: submit,
    find: 'return { answer: { id: platform.idIn(value, request), plan }, status };',
    replace:
      "const id = platform.idIn(value, request);\n  if (id === '') return { failure: network, status: 0 };\n  return { answer: { id, plan }, status };",
    tests,
    title: 'refusals of the upstream',
    meaning: 'A video whose id was lost is submitted to a second channel: both make it.',
  },
  {
    name: 'estimate-of-one-second',
    file: submit,
    find: '...(estimate === undefined ? {} : { estimate }),',
    replace: '',
    tests,
    title: 'holds its seconds',
    meaning: 'One second is held for a video of any length.',
  },
  {
    name: 'callback-settles',
    file: 'server/tasks/video/callback.ts',
    find: 'isSameProof(proofOf(core, task), parsed.proof);',
    replace: 'parsed.proof.length === 32;',
    tests,
    title: 'a callback only makes the poller ask',
    meaning: 'A stranger makes the server ask upstreams as often as wanted.',
  },
];
