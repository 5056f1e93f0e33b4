/** Words of the channel test in Chinese. */
const test = {
  titleModels: '测试 {{name}} 的模型',
  titleSelected_other: '测试 {{count}} 个渠道',
  titleAll: '测试全部渠道',
  allHint: '在后台同时测试多个渠道，关闭窗口不会中断。失败或过慢的渠道按监控设置自动禁用或启用。',
  atOnce: '并发数',
  timeout: '超时（秒）',
  stream: '流式，测首字',
  firstToken: '首字',
  start: '开始测试',
  stop: '停止',
  progress: '已完成 {{done}} / {{total}}',
  stopped: '已停止，完成 {{done}} / {{total}}',
  finished: '测试完成，共 {{done}} / {{total}}',
  never: '尚未测试过',
  filter: '按结果筛选',
  filters: { all: '全部', passed: '成功', failed: '失败', slow: '慢' },
  results: '测试结果',
  result: '结果',
  states: {
    waiting: '等待',
    running: '测试中',
    passed: '成功',
    failed: '失败',
    untestable: '不支持测试',
  },
  none: '没有符合条件的结果',
  setTestModel: '设为测试模型',
  removeFailed_other: '从渠道中移除 {{count}} 个失败的模型',
};

export default test;
