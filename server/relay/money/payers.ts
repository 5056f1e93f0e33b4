// Who pays for a call of a user with subscriptions, and in which group it is priced and sent. The group of the pocket that
// pays first applies: the plan's when a subscription pays first and has something left, else the user's own.
import type { PlanChoice } from '#server/money/ledger/ledger.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import type { CallerPlan } from '#server/relay/caller/load-token.ts';
import type { CatalogSnapshot } from '#server/relay/channel-choice/catalog.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';

/** One way to pay: as this caller, with these subscriptions beside the balance. */
export interface Payer {
  readonly caller: Caller;
  readonly plans: PlanChoice | undefined;
}

/** None of the subscriptions has anything left: the next way is tried. Nothing was held or sent. */
export class PlanEmptyError extends Error {
  override name = 'PlanEmptyError';
}

export interface GroupParts {
  readonly catalog: { readonly current: Pick<CatalogSnapshot, 'isOffered'> };
  readonly settings: SettingsReader;
}

/** The ways to pay, in the order in which they are tried; the last one is always admitted or refused for good. */
export function payersOf(parts: GroupParts, caller: Caller, model: string): Payer[] {
  const own = { ...caller, plans: undefined };
  const plans = usablePlans(caller, model);
  const isWalletFirst = caller.plans?.isWalletFirst === true;
  if (plans.length === 0) return [{ caller: own, plans: undefined }];
  if (isWalletFirst) {
    const ids = plans.map(({ id }) => id);
    return [{ caller: own, plans: { ids, isPlanFirst: false, isRequired: false } }];
  }
  const payers: { caller: Caller; plans: PlanChoice & { ids: number[] } }[] = [];
  for (const plan of plans) {
    const group = groupOf(parts, caller, plan, model);
    const last = payers.at(-1);
    if (last?.caller.group === group) last.plans.ids.push(plan.id);
    else {
      const payer = group === caller.group ? own : { ...own, group };
      payers.push({ caller: payer, plans: { ids: [plan.id], isPlanFirst: true, isRequired: true } });
    }
  }
  const last = payers.at(-1);
  if (last?.caller.group !== caller.group) return [...payers, { caller: own, plans: undefined }];
  // In the user's own group the balance may pay alone.
  last.plans.isRequired = false;
  return payers;
}

/** Tries one way to pay after the other. `pay` throws PlanEmptyError before anything is held. */
export async function payWithPlans<T>(
  parts: GroupParts,
  caller: Caller,
  model: string,
  pay: (payer: Payer) => Promise<T>,
): Promise<T> {
  const payers = payersOf(parts, caller, model);
  for (const payer of payers.slice(0, -1)) {
    try {
      return await pay(payer);
    } catch (error) {
      if (!(error instanceof PlanEmptyError)) throw error;
    }
  }
  return await pay(payers.at(-1) ?? { caller, plans: undefined });
}

function usablePlans({ plans }: Caller, model: string): CallerPlan[] {
  const now = Date.now() / 1000;
  return (plans?.list ?? []).filter(
    (plan) => plan.startsAt <= now && now < plan.endsAt && modelAllowed(plan, model),
  );
}

/** A group that was removed, or that does not offer the model, changes nothing: the subscription pays in the user's own. */
function groupOf({ catalog, settings }: GroupParts, caller: Caller, { group }: CallerPlan, model: string) {
  if (group === '' || caller.plans?.keepsGroup === true) return caller.group;
  const isUsable =
    Object.hasOwn(settings.current.GroupRatio, group) && catalog.current.isOffered(group, model);
  return isUsable ? group : caller.group;
}

/** The groups whose models a caller may call beside its own, each with the plan that allows it. */
export function planGroups({ plans }: Caller): CallerPlan[] {
  if (plans === undefined || plans.isWalletFirst || plans.keepsGroup) return [];
  const now = Date.now() / 1000;
  return plans.list.filter((plan) => plan.group !== '' && plan.startsAt <= now && now < plan.endsAt);
}
