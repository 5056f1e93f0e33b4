/** Words of the channel test. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  titleModels: ['Test the models of {{name}}', '测试 {{name}} 的模型'],
  titleSelected: ['Test one channel', 'Test {{count}} channels', '测试 {{count}} 个渠道'],
  titleAll: ['Test all channels', '测试全部渠道'],
  allHint: ['Runs in the background, several channels at a time; closing this window does not stop it. Channels are disabled or re-enabled according to the monitoring settings.', '在后台同时测试多个渠道，关闭窗口不会中断。渠道按监控设置自动禁用或重新启用。'],
  atOnce: ['At once', '并发数'],
  timeout: ['Timeout (s)', '超时（秒）'],
  stream: ['Stream and time the first token', '流式，测首字'],
  firstToken: ['First token', '首字'],
  start: ['Start', '开始测试'],
  stop: ['Stop', '停止'],
  progress: ['{{done}} of {{total}} done', '已完成 {{done}} / {{total}}'],
  stopped: ['Stopped, {{done}} of {{total}} done', '已停止，完成 {{done}} / {{total}}'],
  finished: ['Finished, {{done}} of {{total}}', '测试完成 {{done}} / {{total}}'],
  never: ['Never tested', '尚未测试过'],
  filter: ['Filter by result', '按结果筛选'],
  filters: { all: ['All', '全部'], passed: ['Passed', '成功'], failed: ['Failed', '失败'], slow: ['Slow', '慢'] },
  results: ['Results', '测试结果'],
  result: ['Result', '结果'],
  states: {
    waiting: ['Waiting', '等待'],
    running: ['Testing', '测试中'],
    passed: ['Passed', '成功'],
    failed: ['Failed', '失败'],
    untestable: ['Cannot be tested', '不支持测试'],
  },
  none: ['No results match', '没有符合条件的结果'],
  setTestModel: ['Use for tests', '设为测试模型'],
  removeFailed: ['Remove the failed model from the channel', 'Remove {{count}} failed models from the channel', '从渠道中移除 {{count}} 个失败的模型'],
} satisfies Messages;
