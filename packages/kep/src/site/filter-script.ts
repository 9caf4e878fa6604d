/** The only script of the site: it filters the board, and keeps what is chosen in the address. Without it all is shown. */
export const filterScript = `'use strict';
const form = document.getElementById('filter');
const shown = document.getElementById('shown');
const cards = [...document.querySelectorAll('.card')];
const texts = cards.map((card) => card.textContent.toLowerCase());

function filter() {
  const words = form.elements.text.value.toLowerCase().split(' ').filter(Boolean);
  const person = form.elements.person.value.trim().toLowerCase();
  const selects = [...form.querySelectorAll('select')].filter(({ value }) => value !== '');
  let count = 0;
  cards.forEach((card, at) => {
    const fits =
      words.every((word) => texts[at].includes(word)) &&
      card.dataset.person.includes(person) &&
      selects.every(({ name, value }) => card.dataset[name] === value);
    card.hidden = !fits;
    if (fits) count++;
  });
  shown.textContent = count === cards.length ? '' : count + ' of them are shown.';
}

function remember() {
  const chosen = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') chosen.set(name, value);
  history.replaceState(null, '', chosen.size === 0 ? location.pathname : '?' + chosen);
}

for (const [name, value] of new URLSearchParams(location.search)) {
  if (form.elements[name]) form.elements[name].value = value;
}
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => {
  filter();
  remember();
});
form.hidden = false;
filter();
`;
