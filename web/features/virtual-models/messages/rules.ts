/** The conditions of a target: their names in the editor, and a condition with its value in words. */
import type { ConditionName } from '#contract/relay/virtual-reasons.ts';
import type { Messages } from '#web/i18n/rows.ts';

export const condition = {
  prompt_at_least: ['Prompt at least (tokens)', '提示词不少于（token）'],
  prompt_at_most: ['Prompt at most (tokens)', '提示词不多于（token）'],
  fits_context: ['Prompt fits into the context', '提示词不超过上下文'],
  pictures: ['Images', '图片'],
  files: ['Files', '文件'],
  tools: ['Tools', '工具'],
  structured_output: ['Structured output', '结构化输出'],
  reasoning_efforts: ['Reasoning effort', '思考强度'],
  header: ['Request header', '请求头'],
  tag: ['Call tag', '调用的标签'],
  groups: ['Groups', '分组'],
  hours: ['Time of day', '时段'],
  share_percent: ['Share of conversations (%)', '对话比例（%）'],
  budget_below: ['Caller has less left than ($)', '调用方可用额度低于（$）'],
  max_cost: ['Call costs at most ($)', '调用费用不超过（$）'],
} satisfies Messages & Record<ConditionName, [string, string]>;

export const rule = {
  always: ['every call', '所有调用'],
  prompt_at_least: ['prompt ≥ {{tokens}} tokens', '提示词 ≥ {{tokens}} token'],
  prompt_at_most: ['prompt ≤ {{tokens}} tokens', '提示词 ≤ {{tokens}} token'],
  fits_context: ['prompt fits the context', '提示词不超过上下文'],
  has: {
    pictures: ['with images', '带图片'],
    files: ['with files', '带文件'],
    tools: ['with tools', '带工具'],
    structured_output: ['with structured output', '要求结构化输出'],
  },
  hasNone: {
    pictures: ['without images', '不带图片'],
    files: ['without files', '不带文件'],
    tools: ['without tools', '不带工具'],
    structured_output: ['without structured output', '不要求结构化输出'],
  },
  reasoning_efforts: ['effort {{values}}', '思考强度 {{values}}'],
  header: ['header {{name}}', '请求头 {{name}}'],
  tag: ['tag {{name}}', '标签 {{name}}'],
  groups: ['group {{values}}', '分组 {{values}}'],
  share_percent: ['{{share}}% of conversations', '{{share}}% 的对话'],
  budget_below: ['less than {{amount}} left to spend', '可用额度低于 {{amount}}'],
  max_cost: ['at most {{amount}} a call', '每次不超过 {{amount}}'],
  fallback: {
    none: ['never', '从不'],
    all: ['any failure', '任何失败'],
    usual: ['any failure except a content filter refusal', '除内容过滤外的任何失败'],
  },
} satisfies Messages;
