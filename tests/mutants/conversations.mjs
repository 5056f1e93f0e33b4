// Which channel and which project a conversation belongs to.
const warm = 'server/relay/channel-choice/warm-channels.ts';
const select = 'server/relay/channel-choice/select.ts';
const kept = 'server/relay/conversations/kept-conversations.ts';
const stored = 'server/relay/conversations/conversations.ts';
const warmTests = ['server/relay/channel-choice/warm-channels.test.ts'];
const calls = ['tests/integration/relay/calls/warm-channels.test.ts'];
const projects = ['tests/integration/relay/calls/conversations.test.ts'];

export const conversations = [
  {
    name: 'users-share-warm-channels',
    file: warm,
    find: 'return `${userId}:${Bun',
    replace: 'return `:${Bun',
    tests: warmTests,
    title: 'have another name',
    meaning: 'A caller learns by the times of answers what another caller says.',
  },
  {
    name: 'new-conversations-go-where-the-last-went',
    file: warm,
    find: ' || !carriesAnswer(fields)) return undefined;',
    replace: ') return undefined;',
    tests: calls,
    title: 'shared by weight',
    meaning: 'Calls that begin alike all go to one channel, whatever the weights say.',
  },
  {
    name: 'warm-channels-grow-without-end',
    file: warm,
    find: 'if (known.size <= MOST_CONVERSATIONS) return;',
    replace: 'return;',
    tests: warmTests,
    title: 'longest unused',
    meaning: 'The memory of a node fills with conversations.',
  },
  {
    name: 'a-conversation-in-use-is-forgotten-first',
    file: warm,
    find: '      known.delete(name);\n      known.set',
    replace: '      known.set',
    tests: warmTests,
    title: 'longest unused',
    meaning: 'The oldest conversation loses its channel while it is being used.',
  },
  {
    name: 'a-warm-reserve-is-used',
    file: select,
    find: 'if (warm === undefined || warm.weight > 0) return warm;',
    replace: 'return warm;',
    tests: ['server/relay/channel-choice/select.test.ts'],
    title: 'warm channel of a conversation',
    meaning: 'A reserve keeps the conversations of an outage.',
  },
  {
    name: 'the-channel-that-took-over-is-not-noted',
    file: 'server/relay/pipeline/pipeline.ts',
    find: 'if (prepared.conversationName !== undefined) warm.note(prepared.conversationName, id);',
    replace: '',
    tests: calls,
    title: 'at least 95 %',
    meaning: 'Conversations never keep a channel.',
  },
  {
    name: 'conversations-of-all-projects',
    file: kept,
    find: 'and project_id in (0, ${organization?.projectId ?? 0})`',
    replace: '`',
    tests: projects,
    title: 'a kept conversation likewise',
    meaning: 'A key reads and continues the conversations of another project.',
  },
  {
    name: 'responses-of-all-projects',
    file: stored,
    find: '`${userId}/${organization.projectId}`',
    replace: '`${userId}/`',
    tests: projects,
    title: 'known to the keys of its project alone',
    meaning: 'A key reads and continues the responses of another project.',
  },
];
