// What a call holds of the balance before it is sent; part of the registry in contract/settings.ts.
import { choice, integer, json, toggle } from '#contract/setting-kinds.ts';
import { modelLimits } from '#contract/setting-shapes.ts';

export const HOLD_SETTINGS = {
  HoldRecoveryPolicy: choice(['checkpoint', 'full', 'review'], 'checkpoint', 'quota', [
    '崩溃后未结清调用的处理',
    'Charge for calls cut off by a crash',
    '服务器崩溃时正在进行的调用怎样收费：按最后的检查点、按预扣的全额，还是由你决定。',
    'How a call that was running when the server crashed is charged: up to its last checkpoint, its whole hold, or as you decide.',
  ]),
  PreConsumedQuota: integer(500, 'quota', [
    '请求预扣费额度',
    'Minimum hold per call',
    '每次调用至少先预扣这么多，结束后多退少补；余额不足的调用会被拒绝。',
    'Every call holds at least this much and settles afterwards; with a lower balance calls are refused.',
  ]),
  LowerAnswerLimits: toggle(true, 'quota', [
    '余额不足时缩短回答',
    'Shorten answers to what the balance can pay for',
    '余额、令牌额度或预算不够预扣整个回答时，把发给上游的输出上限降到可支付的长度；关闭则拒绝这样的调用；流式调用不降低上限，余额用完时结束。',
    'If balance, key or budget cannot pay for the longest answer, the output limit sent upstream is lowered to what they can pay for; off: such a call is refused, and a stream keeps its limit and ends with the balance.',
  ]),
  ModelLimits: json(modelLimits, {}, 'quota', [
    '模型的最长回答',
    'Answer limits by model',
    '一次回答和一次提示词最多多少 token（answer、context），每秒最多生成多少（speed，默认 500），推理模型因余额用完而中断时，每一秒没有输出的时间按多少 token 收费（hidden，默认 50）；预扣按这些数值计算，上游报告的用量超出时不采信；不填则按内置价格表，* 表示其他所有模型，例如 {"my-model":{"answer":16384,"speed":900}}。',
    'Maximum tokens of an answer and a prompt (answer, context), tokens per second (speed, 500 by default), and the tokens charged for each silent second of a reasoning model when the balance runs out (hidden, 50 by default). Holds are based on these, and usage reported above them is not charged. Models without an entry use the built-in list; * stands for all other models, for example {"my-model":{"answer":16384,"speed":900}}.',
  ]),
};
