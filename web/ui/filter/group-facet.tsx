/** The filter by group. */
import { GroupTag } from '#web/ui/badge/tag.tsx';
import type { Facet } from './facet.tsx';

export const groupOption = (group: string) => ({
  value: group,
  label: group,
  node: <GroupTag group={group} />,
});

export function groupFacet(
  label: string,
  groups: readonly string[],
  group: string | undefined,
  onChange: (group: string | undefined) => void,
): Facet {
  return {
    id: 'group',
    label,
    options: groups.map(groupOption),
    value: group === undefined ? [] : [group],
    onChange: ([value]) => onChange(value),
  };
}
