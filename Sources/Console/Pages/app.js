const main = document.getElementById("main");
const answer = await fetch("/console/1/session");
const session = answer.ok ? await answer.json() : null;
main.textContent = session ? `${session.name} (${session.role})` : "Nobody is signed in.";
