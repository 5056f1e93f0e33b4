/** The clients as tiles in groups; one is chosen. */
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CLIENT_GROUPS, CLIENT_NAMES, type ClientId } from './clients.ts';
import classes from './client-tiles.module.css';

interface ClientTilesProps {
  chosen: ClientId;
  onChoose: (client: ClientId) => void;
}

export function ClientTiles({ chosen, onChoose }: ClientTilesProps) {
  const { t } = useTranslation('tokens');
  const name = useId();
  return (
    <fieldset className={classes.clients}>
      <legend>{t('connect.client')}</legend>
      {CLIENT_GROUPS.map(([group, ids]) => (
        <div key={group} className={classes.group}>
          <span className="note">{t(`connect.group.${group}`)}</span>
          <div className="flow4">
            {ids.map((id) => (
              <label key={id} className={classes.tile} data-chosen={id === chosen || undefined}>
                <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
                {CLIENT_NAMES[id]}
              </label>
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  );
}
