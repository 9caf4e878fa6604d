import { useState } from 'preact/hooks';

const themes = ['light dark', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const names: Readonly<Record<Theme, string>> = { 'light dark': 'System', light: 'Light', dark: 'Dark' };
const key = 'slipway-theme';

function stored(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'light dark';
}

/** Applies what was chosen before. */
export function applyTheme(theme: Theme = stored()): void {
  document.documentElement.style.colorScheme = theme;
}

/** Chooses dark or light, or what the system says. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  const choose = (chosen: Theme) => {
    localStorage.setItem(key, chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <fieldset class="theme">
      <legend class="hidden">Colours</legend>
      {themes.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" checked={one === theme} onChange={() => choose(one)} />
          <span>{names[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
