/** “连接供应商”抽屉的文字。 */
export default {
  title: '连接供应商',
  provider: '1. 选择供应商',
  key: '2. 粘贴密钥',
  baseUrl: '地址',
  check: '列出并测试模型',
  listing: '正在读取模型列表…',
  testing: '正在测试 {{model}}…',
  passed: '{{model}} 在 {{seconds}} 秒内应答',
  offered_other: '将提供 {{count}} 个模型',
  left_other: '上游另有 {{count}} 个模型，可以之后在渠道里添加',
  save: '保存渠道',
  expert: '完整表单',
  noModels: '上游没有返回任何模型，请用完整表单填写',
};
