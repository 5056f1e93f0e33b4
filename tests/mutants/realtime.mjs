// The money of realtime sessions.
const meter = 'server/relay/realtime/meter.ts';
const hold = 'server/relay/realtime/session-hold.ts';
const session = 'server/relay/realtime/session.ts';
const meterTests = ['server/relay/realtime/meter.test.ts'];
const money = ['tests/integration/relay/realtime-money.test.ts'];
const life = ['tests/integration/relay/realtime-life.test.ts'];

export const realtime = [
  {
    name: 'realtime-never-extends',
    file: hold,
    find: 'if (this.#costOf(usage) <= this.#call.hold.amount) return true;',
    replace: 'if (this.#costOf(usage) >= 0) return true;',
    tests: money,
    title: 'before a message passes',
    meaning: 'Finding: a session runs on beyond its hold and the balance.',
  },
  {
    name: 'realtime-text-is-free',
    file: meter,
    find: '    response.output += output;\n',
    replace: '',
    tests: meterTests,
    meaning: 'Finding: text that was delivered before a caller left is free.',
  },
  {
    name: 'realtime-audio-is-free',
    file: meter,
    find: '{ ...input, output, audioOutput: this.#conversation.spokenTokens(audioLength) }',
    replace: '{ ...input, output, audioOutput: 0 * audioLength }',
    tests: meterTests,
    meaning: 'Finding: audio that was delivered before a caller left is free.',
  },
  {
    name: 'realtime-input-is-free',
    file: meter,
    find: 'return { ...input, output, audioOutput:',
    replace: 'return { ...input, input: 0, audioInput: 0, output, audioOutput:',
    tests: meterTests,
    meaning: 'Leaving before the report makes the input of a response free.',
  },
  {
    name: 'realtime-asked-is-free',
    file: meter,
    find: 'for (const { input } of hasFailed ? [] : this.#asked) {',
    replace: 'for (const { input } of hasFailed || !hasFailed ? [] : this.#asked) {',
    tests: meterTests,
    meaning: 'A response that was asked for and has not begun costs nothing.',
  },
  {
    name: 'realtime-report-is-ignored',
    file: meter,
    find: '      this.#add(report);\n',
    replace: '',
    tests: meterTests,
    meaning: 'A reported response is not charged.',
  },
  {
    name: 'realtime-report-beside-estimate',
    file: meter,
    find: '    this.#open.delete(key);\n',
    replace: '',
    tests: meterTests,
    meaning: 'A response is charged by its report and by its estimate.',
  },
  {
    name: 'realtime-without-checkpoints',
    file: hold,
    find: '    if (quota === this.#checkpointQuota) return;\n',
    replace: '    if (quota >= this.#checkpointQuota) return;\n',
    tests: life,
    title: 'M2b',
    meaning: 'A crash makes the whole session free.',
  },
  {
    name: 'realtime-outlives-its-hold',
    file: session,
    find: 'if (now >= this.#expiresAt) {',
    replace: 'if (now < 0) {',
    tests: life,
    title: 'M2c',
    meaning: 'A session runs on after its hold was resolved.',
  },
  {
    name: 'realtime-outlives-a-ban',
    file: session,
    find: '    core.streams.add(this);\n',
    replace: '',
    tests: life,
    meaning: 'A ban does not end a session, and no checkpoint is written.',
  },
  {
    name: 'realtime-parallel-extensions',
    file: hold,
    find: "this.#extension = this.#extension.then((before) => (before === 'covered' ? this.#extend(usage) : before));",
    replace: 'this.#extension = this.#extend(usage);',
    tests: ['server/relay/realtime/session-hold.test.ts'],
    meaning: 'Both directions extend the hold at once and reserve the same amount twice.',
  },
  {
    name: 'realtime-ignored-request-is-charged',
    file: meter,
    find: '    // The upstream has answered or ignored what was asked before.\n    this.#asked = [];\n',
    replace: '',
    tests: meterTests,
    title: 'never began',
    meaning: 'A response that the upstream never made is charged at the end of the session.',
  },
  {
    name: 'realtime-failed-response-is-charged',
    file: meter,
    find: "response['status'] === 'failed')",
    replace: 'false)',
    tests: meterTests,
    title: 'a failed response',
    meaning: 'A response that failed without output costs its input.',
  },
];
