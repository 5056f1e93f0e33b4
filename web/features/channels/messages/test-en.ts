/** Words of the channel test in English. */
const test = {
  titleModels: 'Test the models of {{name}}',
  titleSelected_one: 'Test one channel',
  titleSelected_other: 'Test {{count}} channels',
  titleAll: 'Test all channels',
  allHint:
    'Runs in the background, several at a time; closing this does not stop it. Failing or slow channels are disabled or enabled as the monitoring settings say.',
  atOnce: 'At once',
  timeout: 'Timeout (s)',
  stream: 'Stream, time the first token',
  firstToken: 'First token',
  start: 'Start',
  stop: 'Stop',
  progress: '{{done}} of {{total}} done',
  stopped: 'Stopped, {{done}} of {{total}} done',
  finished: 'Finished, {{done}} of {{total}}',
  never: 'Never tested',
  filter: 'Filter by result',
  filters: { all: 'All', passed: 'Passed', failed: 'Failed', slow: 'Slow' },
  results: 'Results',
  result: 'Result',
  states: {
    waiting: 'Waiting',
    running: 'Testing',
    passed: 'Passed',
    failed: 'Failed',
    untestable: 'Cannot be tested',
  },
  none: 'No such result',
  setTestModel: 'Use for tests',
  removeFailed_one: 'Remove the failed model from the channel',
  removeFailed_other: 'Remove {{count}} failed models from the channel',
};

export default test;
