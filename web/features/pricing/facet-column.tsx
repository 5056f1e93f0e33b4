/** The facets spread out in the place of the side menu, each value with its count. */
import { Checkbox } from '@mantine/core';
import { toggled } from '#web/ui/filter/facet.tsx';
import type { CountedFacet } from './facets.ts';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import { OTHER } from './models.ts';
import classes from './facet-column.module.css';

export function FacetColumn({ facets, label }: { facets: readonly CountedFacet[]; label: string }) {
  return (
    <aside className={classes.facets} aria-label={label}>
      {facets.map((facet) => (
        <fieldset key={facet.id} className={classes.facet}>
          <legend>{facet.label}</legend>
          {facet.options.map((option) => (
            <div key={option.value} className={`row8 between ${classes.facetLine}`}>
              <Checkbox
                checked={facet.value.includes(option.value)}
                onChange={() => facet.onChange(toggled(facet, option.value))}
                label={
                  <span
                    className={`row6 size13 soft ${classes.facetName}`}
                    data-code={facet.id === 'path' || undefined}
                  >
                    {facet.id === 'vendor' ? (
                      <VendorMark vendor={option.value === OTHER ? '' : option.value} />
                    ) : null}
                    {option.label}
                  </span>
                }
              />
              {facet.counts.size > 0 ? (
                <span className="fixed size12 muted">{facet.counts.get(option.value) ?? 0}</span>
              ) : null}
            </div>
          ))}
        </fieldset>
      ))}
    </aside>
  );
}
