/** The page of an item's address. Things without a page of their own open where they are edited. */
import type { LinkProps } from '@tanstack/react-router';

export type Place = Pick<LinkProps, 'to' | 'search' | 'hash'>;

/** `isRoute`: the address is a page of this console. `isRoot`: prices are the super admin's to set. */
export function placeOf(address: string, isRoute: (path: string) => boolean, isRoot: boolean): Place {
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
      return isRoot
        ? to('/setting', { tab: 'operation', section: 'pricing' })
        : to(model === '' ? '/model' : `/model/${model}`, {});
    default:
      return to(path);
  }
}
