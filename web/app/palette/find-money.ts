/** Models, virtual models, orders, plans, redemption codes, suppliers and tasks for the palette, and commands on one of them. */
import { api, queryClient } from '#web/api.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { moneyText } from '#web/ui/format/money.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { Command } from './command.ts';

const MOST_OF_A_KIND = 5;
const KEPT_MILLISECONDS = 60_000;
/** IDs of tasks are made by programs: no spaces, and longer than a word that somebody types. */
const IS_TASK_ID = /^[\w-]{8,255}$/;
const IS_ID = /^[1-9]\d{0,14}$/;

interface Named {
  label: string;
  description: string;
}

export type MoneyHit =
  | (Named & { kind: 'model'; model: string })
  | (Named & { kind: 'virtualModel'; model: string })
  | (Named & { kind: 'pricing'; model: string })
  | (Named & { kind: 'order' | 'plan' | 'suppliers' | 'task'; id: number })
  | (Named & { kind: 'redemption'; batch: string })
  | (Named & { kind: 'command'; verb: Command['verb']; id: number });

const holds = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

/** `model`: the operator's page of it; `pricing`: what it costs the user, in the user's own group. */
export async function findModels(text: string, kind: 'model' | 'pricing'): Promise<MoneyHit[]> {
  const { data } = await queryClient.fetchQuery({
    queryKey: ['palette-models'],
    queryFn: ({ signal }) => api.pricing.list({ signal }),
    staleTime: KEPT_MILLISECONDS,
  });
  return data
    .filter(({ model_name }) => holds(model_name, text))
    .toSorted((left, right) => left.model_name.length - right.model_name.length)
    .slice(0, MOST_OF_A_KIND)
    .map(({ model_name }) => ({ kind, model: model_name, label: model_name, description: '' }));
}

export async function findVirtualModels(text: string): Promise<MoneyHit[]> {
  const found = await queryClient.fetchQuery({
    queryKey: ['palette-virtual-models'],
    queryFn: ({ signal }) => api.virtualModels.list({ signal }),
    staleTime: KEPT_MILLISECONDS,
  });
  return found
    .filter(({ name }) => holds(name, text))
    .slice(0, MOST_OF_A_KIND)
    .map(({ name, targets }) => ({
      kind: 'virtualModel',
      model: name,
      label: name,
      description: targets.map(({ model }) => model).join(' → '),
    }));
}

type Order = Awaited<ReturnType<typeof api.orders.list>>['items'][number];

async function ordersOf(keyword: string, signal: AbortSignal): Promise<Order[]> {
  const [listed, byId] = await Promise.all([
    api.orders.list({ query: { keyword, page_size: MOST_OF_A_KIND }, signal }),
    IS_ID.test(keyword)
      ? api.orders.read({ params: { id: Number(keyword) }, signal }).catch(() => undefined)
      : undefined,
  ]);
  const others = listed.items.filter(({ id }) => id !== byId?.id);
  return byId === undefined ? others : [byId, ...others].slice(0, MOST_OF_A_KIND);
}

const orderWords = (order: Order): string =>
  [`#${order.id}`, order.username, moneyText(order, currentLanguage())].filter(Boolean).join(' · ');

export async function findOrders(keyword: string, signal: AbortSignal): Promise<MoneyHit[]> {
  const found = await ordersOf(keyword, signal);
  return found.map((order) => ({
    kind: 'order',
    id: order.id,
    label: order.trade_no,
    description: orderWords(order),
  }));
}

export async function findPlans(text: string): Promise<MoneyHit[]> {
  const { plans } = await queryClient.fetchQuery({
    queryKey: ['palette-plans'],
    queryFn: ({ signal }) => api.plans.list({ signal }),
    staleTime: KEPT_MILLISECONDS,
  });
  return plans
    .filter(({ name }) => holds(name, text))
    .slice(0, MOST_OF_A_KIND)
    .map(({ id, name }) => ({ kind: 'plan', id, label: name, description: `#${id}` }));
}

/** Batches by their names: a search for codes would bring the codes themselves, and note that they were read. */
export async function findCodes(text: string): Promise<MoneyHit[]> {
  const { batches } = await queryClient.fetchQuery({
    queryKey: ['palette-codes'],
    queryFn: ({ signal }) => api.redemptions.overview({ signal }),
    staleTime: KEPT_MILLISECONDS,
  });
  return batches
    .filter(({ name }) => holds(name, text))
    .slice(0, MOST_OF_A_KIND)
    .map(({ batch, name, created_time }) => ({
      kind: 'redemption',
      batch,
      label: name,
      description: absoluteTime(created_time).slice(0, 10),
    }));
}

export async function findSuppliers(text: string): Promise<MoneyHit[]> {
  const suppliers = await queryClient.fetchQuery({
    queryKey: ['palette-suppliers'],
    queryFn: ({ signal }) => api.channelCosts.suppliers({ signal }),
    staleTime: KEPT_MILLISECONDS,
  });
  return suppliers
    .filter(({ name }) => holds(name, text))
    .slice(0, MOST_OF_A_KIND)
    .map(({ id, name }) => ({ kind: 'suppliers', id, label: name, description: `#${id}` }));
}

/** By the whole ID that the caller of the task got. */
export async function findTasks(id: string, isOfAll: boolean, signal: AbortSignal): Promise<MoneyHit[]> {
  if (!IS_TASK_ID.test(id)) return [];
  const query = { task_id: id, page_size: MOST_OF_A_KIND };
  const { data } = await (isOfAll
    ? api.tasks.list({ query, signal })
    : api.tasks.listSelf({ query, signal }));
  return data.map((task) => ({
    kind: 'task',
    id: task.id,
    label: task.task_id,
    description: [`#${task.id}`, task.model, task.username].filter(Boolean).join(' · '),
  }));
}

/** What a command can be done to; the palette asks before it does anything. */
export async function findTargets({ verb, rest }: Command, signal: AbortSignal): Promise<MoneyHit[]> {
  if (verb === 'refund') {
    const found = await ordersOf(rest, signal);
    return found
      .filter(({ status }) => status === 'paid')
      .map((order) => ({
        kind: 'command',
        verb,
        id: order.id,
        label: order.trade_no,
        description: orderWords(order),
      }));
  }
  const { data } = await api.channels.search({ query: { keyword: rest, page_size: MOST_OF_A_KIND }, signal });
  return data.map(({ id, name }) => ({ kind: 'command', verb, id, label: name, description: `#${id}` }));
}
