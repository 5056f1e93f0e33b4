/** What a conversation cost: small amounts need four decimals, nothing needs two. */
import { formatMoney } from '#web/ui/format/number.ts';
import { conversationCost, type Conversation } from './conversation.ts';

export function costText(conversation: Conversation): string {
  const cost = conversationCost(conversation);
  return formatMoney(cost, cost === 0 ? 2 : 4);
}
