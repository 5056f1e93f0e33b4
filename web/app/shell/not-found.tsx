/** The page of an unknown URL: offers the closest pages and a search over all of them. */
import { Button, TextInput } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { closest } from '#web/app/closest.ts';
import { KEYWORDS } from '#web/app/palette/keywords.ts';
import { useNavigationItems } from '#web/app/use-navigation.ts';
import { LogoMark } from '#web/ui/brand/logo.tsx';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import classes from './plain.module.css';

export function NotFound() {
  const { t } = useTranslation('shell');
  usePageTitle(t('notFound.title'));
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const items = useNavigationItems();
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const offered = wanted
    ? items.filter((item) =>
        `${t(`nav.${item.name}`)} ${KEYWORDS[item.name]} ${item.path}`.toLowerCase().includes(wanted),
      )
    : closest(items, pathname);
  return (
    <div className={`stack8 start ${classes.plain}`}>
      <LogoMark height={28} />
      <p className={classes.code}>404</p>
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text', { path: pathname })}</p>
      <TextInput
        aria-label={t('notFound.search')}
        placeholder={t('notFound.search')}
        value={query}
        leftSection={<IconSearch size={15} stroke={1.6} />}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <h2>{t('notFound.closest')}</h2>
      <ul className={classes.closest}>
        {offered.map((item) => (
          <li key={item.name}>
            <Link to={item.path}>
              <item.icon size={16} stroke={1.6} aria-hidden />
              {t(`nav.${item.name}`)}
              <code>{item.path}</code>
            </Link>
          </li>
        ))}
      </ul>
      <Button component={Link} to="/" reloadDocument variant="default">
        {t('notFound.home')}
      </Button>
    </div>
  );
}
