/** A sheet of tickets that exists only on paper: name, amount, code and its QR code. */
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Qr } from '#web/ui/qr/qr.tsx';
import type { CodeRow } from './files.ts';
import classes from './print-sheet.module.css';

export function PrintSheet({ codes }: { codes: readonly CodeRow[] }) {
  const { t } = useTranslation('redemptions');
  const display = useDisplay();
  const status = useStatus();
  return createPortal(
    <div className={classes.sheet} aria-hidden>
      <h1>{t('created.printTitle', { site: status?.system_name ?? '' })}</h1>
      <p>{t('created.printHow', { address: location.origin })}</p>
      <div className={classes.tickets}>
        {codes.map(({ key, name, quota }) => (
          <div key={key} className={classes.ticket}>
            <Qr text={key} label={name} size={72} />
            <div>
              <b>{renderQuota(quota, display)}</b>
              {name === renderQuota(quota, display) ? null : <span>{name}</span>}
              <code>{key.replaceAll(/.{8}(?=.)/g, '$& ')}</code>
            </div>
          </div>
        ))}
      </div>
    </div>,
    document.body,
  );
}
