/** The foot of a list: totals of the whole filter on the left, page size and pages on the right. */
import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZES } from '#contract/lists.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { chosenPageSize, fittingSize, forgetPageSize, storePageSize } from './page-size.ts';
import type { GridQuery } from './types.ts';
import classes from './footer.module.css';

interface GridFooterProps {
  /** Undefined until the list has loaded. */
  total: number | undefined;
  totals?: ReactNode;
  query: GridQuery;
  onQueryChange: (change: Partial<GridQuery>) => void;
}

/** Shows the page and jumps to a typed one; a number beyond the last page means the last. */
function PageField({ page, pages, onJump }: { page: number; pages: number; onJump: (page: number) => void }) {
  const { t } = useTranslation('ui');
  const [typed, setTyped] = useState<string>();
  const jump = () => {
    const wanted = Math.min(pages, Math.max(1, Number.parseInt(typed ?? '', 10)));
    setTyped(undefined);
    if (Number.isInteger(wanted) && wanted !== page) onJump(wanted);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') jump();
    else if (event.key === 'Escape') setTyped(undefined);
    else return;
    // Esc must not close a drawer beside the list.
    event.preventDefault();
  };
  return (
    <label className={`inline4 nowrap tabular ${classes.page}`}>
      <input
        aria-label={t('grid.page')}
        inputMode="numeric"
        autoComplete="off"
        size={String(pages).length}
        value={typed ?? String(page)}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.currentTarget.value.replaceAll(/\D/g, ''))}
        onBlur={jump}
        onKeyDown={onKeyDown}
      />
      / {groupDigits(pages)}
    </label>
  );
}

export function GridFooter({ total: counted, totals, query, onQueryChange }: GridFooterProps) {
  const { t } = useTranslation('ui');
  // Beside the field of the page there is no room for the rows on it.
  const phone = usePhone();
  const total = counted ?? 0;
  const { page, pageSize } = query;
  const from = total === 0 ? 0 : Math.min((page - 1) * pageSize + 1, total);
  const to = Math.min(page * pageSize, total);
  const pages = Math.ceil(total / pageSize);
  const isChosen = chosenPageSize(localStorage) !== undefined;
  const fitting = fittingSize(window);
  return (
    <footer className={classes.footer}>
      <div className={classes.totals} data-drops>
        {totals}
      </div>
      <Menu position="top-end">
        <Menu.Target>
          <UnstyledButton className={`inline4 size12 ${classes.pageSize}`}>
            {t('grid.perPage', { count: pageSize })}
            <IconChevronDown size={12} stroke={1.6} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{isChosen ? t('grid.pageSize') : t('grid.fits', { count: fitting })}</Menu.Label>
          {PAGE_SIZES.map((size) => (
            <Menu.RadioItem
              key={size}
              value={String(size)}
              checked={size === pageSize}
              closeMenuOnClick
              rightSection={size === pageSize ? <IconCheck size={14} stroke={2} /> : undefined}
              onChange={() => {
                storePageSize(localStorage, size);
                onQueryChange({ pageSize: size, page: 1 });
              }}
            >
              {size}
            </Menu.RadioItem>
          ))}
          {isChosen ? (
            <Menu.Item
              onClick={() => {
                forgetPageSize(localStorage);
                onQueryChange({ pageSize: fitting, page: 1 });
              }}
            >
              {t('grid.fill')}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <span className={classes.range}>
        {counted === undefined
          ? null
          : phone || total === 0
            ? t('grid.total', { total: groupDigits(total) })
            : t('grid.range', { from: groupDigits(from), to: groupDigits(to), total: groupDigits(total) })}
      </span>
      <div className={classes.pages}>
        <ActionIcon
          aria-label={t('grid.previous')}
          disabled={page <= 1}
          onClick={() => onQueryChange({ page: page - 1 })}
        >
          <IconChevronLeft size={16} stroke={1.6} />
        </ActionIcon>
        {pages > 1 ? (
          <PageField page={page} pages={pages} onJump={(next) => onQueryChange({ page: next })} />
        ) : null}
        <ActionIcon
          aria-label={t('grid.next')}
          disabled={to >= total}
          onClick={() => onQueryChange({ page: page + 1 })}
        >
          <IconChevronRight size={16} stroke={1.6} />
        </ActionIcon>
      </div>
    </footer>
  );
}
