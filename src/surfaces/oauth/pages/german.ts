/** The words of our pages in German, by their English text. `words.test.ts` finds what is missing or no longer used. */
export const GERMAN: Readonly<Record<string, string>> = {
  // Sign-in, consent and errors
  Connect: "Verbinden",
  Error: "Fehler",
  "The app that sent you here made a mistake; tell its makers.":
    "Die Anwendung, die Sie hierher geschickt hat, hat einen Fehler gemacht; sagen Sie es deren Herstellern.",
  "Signed in": "Angemeldet",
  "Signed out": "Abgemeldet",
  "Sign in": "Anmelden",
  "Continue with {0}": "Weiter mit {0}",
  or: "oder",
  "Sign out of {0} as well": "Auch bei {0} abmelden",
  "This sign-in was not begun here, or it is too long ago.":
    "Diese Anmeldung wurde nicht hier begonnen, oder sie ist zu lange her.",
  Account: "Konto",
  "Sign out": "Abmelden",
  "E-mail": "E-Mail",
  Password: "Passwort",
  "E-mail and password do not fit.": "E-Mail und Passwort passen nicht zusammen.",
  "Sign in first.": "Melden Sie sich zuerst an.",
  "Forgotten your password? Whoever runs this server can set a new one.":
    "Passwort vergessen? Wer diesen Server betreibt, kann ein neues setzen.",
  Invitation: "Einladung",
  "Join {0}": "{0} beitreten",
  Join: "Beitreten",
  "You are invited as <strong>{0}</strong>.": "Sie sind als <strong>{0}</strong> eingeladen.",
  "Your name": "Ihr Name",
  "At least 12 characters. If you have an account with this address already, enter its password.":
    "Mindestens 12 Zeichen. Wenn Sie mit dieser Adresse schon ein Konto haben, geben Sie dessen Passwort ein.",
  "You are signed in": "Sie sind angemeldet",
  'as <strong>{0}</strong>. You can close this page and go back to your client, or go to <a href="/">the console</a>.':
    'als <strong>{0}</strong>. Sie können diese Seite schließen und zu Ihrem Client zurückkehren, oder zur <a href="/">Konsole</a> gehen.',
  "You are signed out": "Sie sind abgemeldet",
  "Apps that you have connected stay connected until you revoke them.":
    "Anwendungen, die Sie verbunden haben, bleiben verbunden, bis Sie es widerrufen.",
  '<a href="/sign-in?return_to=%2F">Sign in again</a>':
    '<a href="/sign-in?return_to=%2F">Wieder anmelden</a>',
  'Connect <span class="client">{0}</span>?': '<span class="client">{0}</span> verbinden?',
  'It will act as <strong>{0}</strong>, and send you back to <strong class="host">{1}</strong>.':
    'Die Anwendung handelt als <strong>{0}</strong> und schickt Sie zurück zu <strong class="host">{1}</strong>.',
  "<strong>Unverified app.</strong> Nobody has registered it; it only says that it is called “{0}”. Go on only if you have just started it yourself on this computer.":
    "<strong>Nicht geprüft.</strong> Niemand hat diese Anwendung eingetragen; sie sagt nur, dass sie „{0}“ heißt. Fahren Sie nur fort, wenn Sie sie gerade selbst auf diesem Rechner gestartet haben.",
  "<strong>Unverified app.</strong> It registered itself, and nobody has checked that it is “{0}”. Go on only if you have just asked it to connect, and know the address that it sends you back to.":
    "<strong>Nicht geprüft.</strong> Diese Anwendung hat sich selbst eingetragen, und niemand hat geprüft, ob sie „{0}“ ist. Fahren Sie nur fort, wenn Sie die Verbindung gerade selbst begonnen haben und die Adresse kennen, zu der sie Sie zurückschickt.",
  "It may": "Sie darf",
  "Never more than your own role allows. Take away what it should not do.":
    "Nie mehr, als Ihre eigene Rolle erlaubt. Nehmen Sie weg, was sie nicht tun soll.",
  Allow: "Erlauben",
  Deny: "Ablehnen",
  "In the workspace <strong>{0}</strong>, where you are {1}.":
    "Im Arbeitsbereich <strong>{0}</strong>, in dem Sie {1} sind.",
  "In the workspace": "Im Arbeitsbereich",
  "That did not work": "Das hat nicht geklappt",
  "There is nothing here": "Hier ist nichts",
  "This server has no page at <strong>{0}</strong>.":
    "Dieser Server hat keine Seite unter <strong>{0}</strong>.",
  "Go to the start page": "Zur Startseite",
  "Not found": "Nicht gefunden",
  "Stop these mails?": "Diese Mails abbestellen?",
  "{0} gets no more mails of this alert or report.":
    "{0} bekommt von diesem Alarm oder Bericht keine Mails mehr.",
  "Stop them": "Abbestellen",
  Done: "Erledigt",

  // What permissions mean
  "Connect to the data agent": "Sich mit dem Datenagenten verbinden",
  "Ask questions about your data": "Fragen zu Ihren Daten stellen",
  "See semantic models and their datasets": "Semantische Modelle und ihre Datensätze sehen",
  "Change semantic models": "Semantische Modelle ändern",
  "See dashboards, datasets, queries and reports": "Dashboards, Datensätze, Abfragen und Berichte sehen",
  "Create and change dashboards, datasets, queries and reports":
    "Dashboards, Datensätze, Abfragen und Berichte anlegen und ändern",
  "Recall what the workspace remembers": "Abrufen, was der Arbeitsbereich sich gemerkt hat",
  "Store and change memories": "Erinnerungen speichern und ändern",
  "Read and search knowledge bases": "Wissensbasen lesen und durchsuchen",
  "Add and change documents": "Dokumente hinzufügen und ändern",
  "Administer the workspace, with its audit log": "Den Arbeitsbereich verwalten, mit seinem Protokoll",

  // Dashboards
  Data: "Daten",

  // The address of the server alone
  Start: "Start",
  "You are in no workspace yet": "Sie gehören noch zu keinem Arbeitsbereich",
  "Ask an admin to invite you: the link of the invitation leads into their workspace.":
    "Bitten Sie eine Administratorin oder einen Administrator um eine Einladung: Ihr Link führt in den Arbeitsbereich.",
  "The console is not built": "Die Konsole ist nicht gebaut",
  "Clients can connect all the same. <code>npm start</code> builds the console before it starts the server, and says why where it cannot; <code>node bin/build-console.cjs</code> builds it alone.":
    "Clients können sich trotzdem verbinden. <code>npm start</code> baut die Konsole, bevor es den Server startet, und sagt, wenn es das nicht kann, warum; <code>node bin/build-console.cjs</code> baut sie allein.",
  "You are signed in as <strong>{0}</strong>.": "Sie sind als <strong>{0}</strong> angemeldet.",

  // Connecting a client
  "ChatGPT calls from OpenAI’s servers, so it needs an https address that is reachable from the internet. This one is not: put the server behind such an address and set APP_URL to it.":
    "ChatGPT ruft von OpenAIs Servern aus an und braucht deshalb eine https-Adresse, die aus dem Internet erreichbar ist. Diese ist es nicht: Stellen Sie den Server hinter eine solche Adresse und setzen Sie APP_URL darauf.",
  "Run this in a terminal:": "Führen Sie das in einem Terminal aus:",
  "Then type /mcp in a session, choose kenning and sign in.":
    "Geben Sie dann in einer Sitzung /mcp ein, wählen Sie kenning und melden Sie sich an.",
  "In Settings, open Apps, then Advanced settings, and switch on Developer mode. Choose Create app, with OAuth and this address:":
    "Öffnen Sie in den Einstellungen Apps, dann die erweiterten Einstellungen, und schalten Sie den Entwicklermodus ein. Wählen Sie App erstellen, mit OAuth und dieser Adresse:",
  "Add it with the button, or put this into ~/.cursor/mcp.json:":
    "Fügen Sie es mit dem Knopf hinzu, oder schreiben Sie das in ~/.cursor/mcp.json:",
  "Add to Cursor": "Zu Cursor hinzufügen",
  "Add it with the button, or put this into .vscode/mcp.json:":
    "Fügen Sie es mit dem Knopf hinzu, oder schreiben Sie das in .vscode/mcp.json:",
  "Add to VS Code": "Zu VS Code hinzufügen",
  "Most take this, in a file of their own. Leave the headers out where the client can open a browser to sign in; otherwise put in a token.":
    "Die meisten nehmen das, in einer eigenen Datei. Lassen Sie die headers weg, wo der Client zum Anmelden einen Browser öffnen kann; setzen Sie sonst ein Token ein.",
  "To see whether a token works:": "Um zu sehen, ob ein Token funktioniert:",
  "In Settings, open Connectors, choose Add custom connector and paste this address:":
    "Öffnen Sie in den Einstellungen Connectors, wählen Sie Add custom connector und fügen Sie diese Adresse ein:",
  "In Settings, open Developer, choose Edit Config, put this into claude_desktop_config.json and start Claude again (it needs Node):":
    "Öffnen Sie in den Einstellungen Developer, wählen Sie Edit Config, schreiben Sie das in claude_desktop_config.json und starten Sie Claude neu (es braucht Node):",
  "Where Kenning itself is installed, its own “kenning stdio” does the same with a token in KENNING_TOKEN.":
    "Wo Kenning selbst installiert ist, tut „kenning stdio“ dasselbe mit einem Token in KENNING_TOKEN.",

  // Tokens, applications and the password
  toolsets: "Werkzeuggruppen",
  models: "Modelle",
  "knowledge bases": "Wissensbasen",
  Name: "Name",
  "1 year": "1 Jahr",
  "The current password does not fit.": "Das jetzige Passwort stimmt nicht.",

  // Dashboards
  "There is nothing on this dashboard yet.": "Auf diesem Dashboard ist noch nichts.",
  Apply: "Anwenden",
  "{0}, from": "{0}, von",
  "{0}, to": "{0}, bis",
  All: "Alle",
  "{0} chosen": "{0} gewählt",
  Search: "Suchen",
  "Search {0}": "{0} durchsuchen",
  Clear: "Leeren",
  "This could not be drawn just now. Load the page again.":
    "Das konnte gerade nicht gezeichnet werden. Laden Sie die Seite neu.",
  "Columns before": "Spalten davor",
  "More columns": "Weitere Spalten",
  "This page is too large to show everything at once.":
    "Diese Seite ist zu groß, um alles auf einmal zu zeigen.",
  "Show this": "Das hier zeigen",
  "{0}. Use the arrow keys to read values.": "{0}. Mit den Pfeiltasten lesen Sie Werte.",
  "Data as of {0}.": "Datenstand: {0}.",
  "Shown {0} {1}.": "Gezeigt am {0} {1}.",
  "This link does not work, or no longer. Ask whoever gave it to you for a new one.":
    "Dieser Link funktioniert nicht oder nicht mehr. Bitten Sie, wer ihn Ihnen gegeben hat, um einen neuen.",
  "There is no such dashboard, or none that you may see.":
    "Dieses Dashboard gibt es nicht, oder Sie dürfen es nicht sehen.",
  "Loading…": "Wird geladen …",
  "The server could not be reached.": "Der Server war nicht zu erreichen.",
  "This page needs scripts to be switched on.": "Diese Seite braucht eingeschaltete Skripte.",
};
