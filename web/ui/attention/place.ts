/** The page of an item's address. Things without a page of their own open where they are edited. */
import type { LinkProps } from '@tanstack/react-router';
import type { AttentionItem } from '#contract/admin/attention.ts';

export type Place = Pick<LinkProps, 'to' | 'search' | 'hash'>;

/** The editor of prices, at the first of these models, or at all without a price where there are several. */
export const pricePlace = (models: readonly string[], kind: AttentionItem['kind']): Place => ({
  to: '/prices',
  search:
    kind === 'model_unpriced' && models.length !== 1 ? { unpriced: true } : { model: models[0] ?? undefined },
});

/** `isRoute`: the address is a page of this console. */
export function placeOf(address: string, isRoute: (path: string) => boolean): Place {
  const [path = '', query = ''] = address.split('?');
  const search = Object.fromEntries(new URLSearchParams(query));
  const to = (target: string, more: Record<string, string | number> = search) =>
    ({ to: target, search: more }) as unknown as Place;
  const [, thing = '', id = ''] = path.split('/');
  if (id === '' && isRoute(path)) return to(path);
  if (id !== '' && isRoute(`/${thing}/$id`)) return to(path);
  const model = decodeURIComponent(id);
  switch (thing) {
    case 'channel':
      return to(`/channel/${id}`);
    case 'token':
      return to('/token', { edit: Number(id) });
    case 'order':
      return to(`/order/${id}`);
    case 'suppliers':
      return to('/suppliers', { open: Number(id) });
    case 'model':
      return to(model === '' ? '/model' : `/model/${model}`, {});
    default:
      return to(path);
  }
}
