//! The messages by which errors are told that Diesel does not name by kind: of a server, in every
//! language that it speaks; `%s` stands for a name.
//!
//! They are those of PostgreSQL 15 and MariaDB 10.11. Other versions may say it in other words.

/// BUSY, BUSY_SNAPSHOT, LOCKED; SQLite speaks English alone.
pub(super) const SQLITE_BUSY: &[&str] = &["database is locked", "database table is locked"];

/// READONLY: the file, or `PRAGMA query_only`.
pub(super) const SQLITE_READ_ONLY: &[&str] = &["attempt to write a readonly database"];

/// 40P01.
pub(super) const POSTGRES_DEADLOCK: &[&str] = &[
    "deadlock detected",
    "Verklemmung (Deadlock) entdeckt",
    "se ha detectado un deadlock",
    "interblocage (deadlock) détecté",
    "rilevato deadlock",
    "デッドロックを検出しました",
    "ნაპოვნია ურთიერთბლოკირება",
    "deadlock 발생했음",
    "обнаружена взаимоблокировка",
    "deadlock upptäckt",
    "виявлено взаємне блокування",
    "检测到死锁",
];

/// 55P03, after `lock_timeout`.
pub(super) const POSTGRES_LOCK_TIMEOUT: &[&str] = &[
    "canceling statement due to lock timeout",
    "storniere Anfrage wegen Zeitüberschreitung einer Sperre",
    "cancelando la sentencia debido a que se agotó el tiempo de espera de candados (locks)",
    "annulation de la requête à cause du délai écoulé pour l'obtention des verrous",
    "annullamento dell'istruzione a causa di timeout di lock",
    "ロックのタイムアウトのためステートメントをキャンセルしています",
    "გამოსახულება გაუქმდება ბლოკის მოლოდინის ვადის ამოწურვის გამო",
    "잠금 대기 시간 초과로 작업을 취소합니다.",
    "выполнение оператора отменено из-за тайм-аута блокировки",
    "avbryter sats på grund av lås-timeout",
    "виконання оператора скасовано через тайм-аут блокування",
    "由于锁超时，取消语句操作",
];

/// 55P03, with `NOWAIT`.
pub(super) const POSTGRES_LOCK_NOT_AVAILABLE: &[&str] = &[
    "could not obtain lock on row in relation \"%s\"",
    "konnte Sperre für Zeile in Relation »%s« nicht setzen",
    "no se pudo bloquear un candado en la fila de la relación «%s»",
    "n'a pas pu obtenir un verrou sur la relation « %s »",
    "lock di riga nella relazione \"%s\" fallito",
    "リレーション\"%s\"の行ロックを取得できませんでした",
    "ურთიერთობაში \"%s\" მწკრივის დაბლოკვის შეცდომა",
    "\"%s\" 릴레이션의 잠금 정보를 구할 수 없음",
    "не удалось получить блокировку строки в таблице \"%s\"",
    "kunde inte låsa rad i relationen \"%s\"",
    "не вдалося отримати блокування у рядку стосовно \"%s\"",
    "无法在关系 \"%s\"中的记录上获得锁",
    "could not obtain lock on relation \"%s\"",
    "konnte Sperre für Relation »%s« nicht setzen",
    "no se pudo bloquear un candado en la relación «%s»",
    "lock della relazione \"%s\" fallito",
    "リレーション\"%s\"のロックを取得できませんでした",
    "ბლოკის მიღების შეცდომა ურთიერთობაზე %s\"",
    "не удалось получить блокировку таблицы \"%s\"",
    "kunde inte ta lås på relationen \"%s\"",
    "не вдалося отримати блокування зв'язку \"%s\"",
    "无法在关系 \"%s\" 上获得锁",
];

/// 1205.
pub(super) const MYSQL_LOCK_TIMEOUT: &[&str] = &[
    "锁等待超时;尝试重新启动事务",
    "Lock wait timeout overskredet",
    "Lock wait timeout exceeded; try restarting transaction",
    "Kontrollaeg ületatud luku järel ootamisel; Proovi transaktsiooni otsast alata",
    "Timeout sur l'obtention du verrou",
    "Beim Warten auf eine Sperre wurde die zulässige Wartezeit überschritten. Bitte versuchen Sie, die Transaktion neu zu starten",
    "ბლოკის მოლოდინის ვადა ამოიწურა. სცადეთ, ტრანზაქცია თავიდან გაუშვათ",
    "E' scaduto il timeout per l'attesa del lock",
    "ロック待ちがタイムアウトしました。トランザクションを再試行してください。",
    "Lock wacht tijd overschreden",
    "Tempo de espera (timeout) de travamento excedido. Tente reiniciar a transação",
    "Таймаут ожидания блокировки истек; попробуйте перезапустить транзакцию",
    "Vremenski limit za zaključavanje tabele je istekao; Probajte da ponovo startujete transakciju",
    "Tiempo de espera de bloqueo excedido; intente rearrancar la transacción",
    "Fick inte ett lås i tid ; Försök att starta om transaktionen",
    "Затримку очікування блокування вичерпано",
];

/// 1213, where the driver does not name it by kind.
pub(super) const MYSQL_DEADLOCK: &[&str] = &[
    "试图锁定时发现僵局;尝试重新启动事务",
    "Deadlock found when trying to get lock; try restarting transaction",
    "Lukustamisel tekkis tupik (deadlock); alusta transaktsiooni otsast",
    "Deadlock découvert en essayant d'obtenir les verrous : essayez de redémarrer la transaction",
    "Beim Versuch, eine Sperre anzufordern, ist ein Deadlock aufgetreten. Versuchen Sie, die Transaktion neu zu starten",
    "ჩიხი ბლოკის მიღების მცდელობისას. სცადეთ, ტრანზაქცია თავიდან გაუშვათ",
    "Trovato deadlock durante il lock; Provare a far ripartire la transazione",
    "ロック取得中にデッドロックが検出されました。トランザクションを再試行してください。",
    "Deadlock gevonden tijdens lock-aanvraag poging; Probeer herstart van de transactie",
    "Encontrado um travamento fatal (deadlock) quando tentava obter uma trava. Tente reiniciar a transação",
    "Возникла тупиковая ситуация в процессе получения блокировки; Попробуйте перезапустить транзакцию",
    "Unakrsno zaključavanje pronađeno kada sam pokušao da dobijem pravo na zaključavanje; Probajte da restartujete transakciju",
    "Encontrado estancamiento (deadlock) al intentar obtener el bloqueo; intente volver a comenzar la transacción",
    "Fick 'DEADLOCK' vid låsförsök av block/rad. Försök att starta om transaktionen",
    "Взаємне блокування знайдено під час спроби отримати блокування; спробуйте перезапустити транзакцію.",
];

/// 3572, with `NOWAIT`; MySQL 8 says it in English alone. MariaDB says 1205 instead.
pub(super) const MYSQL_NO_WAIT: &[&str] =
    &["lock(s) could not be acquired immediately and NOWAIT is set"];

/// 1020.
pub(super) const MYSQL_RECORD_CHANGED: &[&str] = &[
    "这个表自上次读后数据有变化'%s';尝试重新启动事务",
    "Záznam byl změněn od posledního čtení v tabulce '%s'",
    "Posten er ændret siden sidste læsning '%s'; Prøv at genstarte transaktionen",
    "Record has changed since last read in table '%s'; try restarting transaction",
    "Kirje tabelis '%s' on muutunud viimasest lugemisest saadik; alusta transaktsiooni otsast",
    "Enregistrement modifié depuis sa dernière lecture dans la table '%s' : essayez de redémarrer la transaction",
    "Datensatz hat sich seit dem letzten Zugriff auf Tabelle '%s' geändert. Versuchen Sie, die Transaktion neu zu starten",
    "ცხრილში '%s' ჩანაწერი შეიცვალა ბოლო წაკითხვის შემდეგ. სცადეთ, ტრანზაქცია თავიდან გაუშვათ",
    "Η εγγραφή έχει αλλάξει από την τελευταία φορά που ανασύρθηκε από τον πίνακα '%s'",
    "रिकॉर्ड टेबल '%s' पिछली बार पढ़े जाने के बाद से बदल गया है",
    "A(z) '%s' tablaban talalhato rekord megvaltozott az utolso olvasas ota",
    "Il record e` cambiato dall'ultima lettura della tabella '%s'; Provare a far ripartire la transazione",
    "表 '%s' の最後の読み込み時点から、レコードが変化しました。トランザクションを再試行してください。",
    "테이블 '%s'에서 마지막으로 읽은 후 Record가 변경되었습니다.",
    "Record is veranderd sinds de laatste lees activiteit in de tabel '%s'; Probeer herstart van de transactie",
    "Posten har blitt endret siden den ble lest '%s'",
    "Posten har vorte endra sidan den sist vart lesen '%s'; Prøv å starte transaksjonen på nytt",
    "Rekord został zmieniony od ostaniego odczytania z tabeli '%s'",
    "Registro alterado desde a última leitura da tabela '%s'. Tente reiniciar a transação",
    "Cimpul a fost schimbat de la ultima citire a tabelei '%s'",
    "Запись изменилась с момента последней выборки в таблице '%s'; Попробуйте перезапустить транзакцию",
    "Slog je promenjen od zadnjeg čitanja tabele '%s'; Probajte da restartujete transakciju",
    "Záznam bol zmenený od posledného čítania v tabuľke '%s'",
    "El registro ha cambiado desde la ultima lectura de la tabla '%s'; intente volver a comenzar la transacción",
    "Posten har förändrats sedan den lästes i register '%s'. Försök att starta om transaktionen",
    "Запис було змінено з часу останнього читання з таблиці '%s'; спробуйте перезапустити транзакцію.",
];

/// What clients say of a connection that is no more.
pub(super) const CLOSED: &[&str] = &[
    "no connection to the server",         // libpq, from the second use on
    "connection closed",                   // tokio-postgres, from the second use on
    "error communicating with the server", // tokio-postgres
    "erver has gone away",                 // MySQL 2006
    "Lost connection to",                  // MySQL 2013
    "Input/output error: ",                // mysql_async
    "Connection to the server is closed",  // mysql_async
];

/// 57P01 and its like: the last words of a server, which tokio-postgres hands on.
pub(super) const POSTGRES_CLOSED: &[&str] = &[
    "terminating connection ",
    "Verbindung wird abgebrochen aufgrund von Anweisung des Administrators",
    "terminando la conexión debido a una orden del administrador",
    "arrêt des connexions suite à la demande de l'administrateur",
    "interruzione della connessione su comando dell'amministratore",
    "管理者コマンドにより接続を終了しています",
    "მიერთების შეწყვეტა ადმინისტრატორის ბრძანების გამო",
    "관리자 요청에 의해서 연결을 끝냅니다",
    "закрытие подключения по команде администратора",
    "avslutar anslutning på grund av ett administratörskommando",
    "завершення підключення по команді адміністратора",
    "由于管理员命令中断联接",
    "Verbindung wird abgebrochen wegen Zeitüberschreitung in inaktiver Transaktion",
    "terminando la conexión debido a que se agotó el tiempo de espera para transacciones abiertas inactivas",
    "arrêt des connexions suite à l'expiration du délai d'inactivité en transaction",
    "la connessione è stata terminata a causa di timeout di inattività durante una transazione",
    "トランザクション中アイドルタイムアウトのため接続を終了します",
    "idle-in-transaction 시간 초과로 연결을 끝냅니다",
    "закрытие подключения из-за тайм-аута простоя в транзакции",
    "terminerar anslutning på grund av idle-in-transaction-timeout",
    "завершення підключення через тайм-аут бездіяльності в транзакції",
    "由于空载事务超时而终止连接",
    "Verbindung wird abgebrochen wegen Zeitüberschreitung in inaktiver Sitzung",
    "terminando la conexión debido a que se agotó el tiempo de espera para sesiones abiertas inactivas",
    "arrêt des connexions suite à l'expiration du délai d'inactivité de la session",
    "terminazione della connessione a causa del timeout della sessione inattiva",
    "アイドルセッションタイムアウトにより接続を終了します",
    "idle-session 시간 초과로 연결을 끝냅니다",
    "закрытие подключения из-за тайм-аута простоя сеанса",
    "stänger anslutning på grund av idle-session-timeout",
    "завершення підключення через тайм-аут неактивного сеансу",
    "Verbindung wird abgebrochen wegen Absturz eines anderen Serverprozesses",
    "terminando la conexión debido a una falla en otro proceso servidor",
    "arrêt de la connexion à cause de l'arrêt brutal d'un autre processus serveur",
    "la connessione è stata terminata a causa del crash di un altro processo del server",
    "他のサーバープロセスがクラッシュしたため接続を終了します",
    "다른 서버 프로세스가 손상을 입어 현재 연결을 중지합니다",
    "закрытие подключения из-за краха другого серверного процесса",
    "avbryter anslutning på grund av en krash i en annan serverprocess",
    "завершення підключення через аварійне завершення роботи іншого серверного процесу",
    "中断联接, 因为其它服务器进程崩溃",
    "Verbindung wird abgebrochen wegen unerwartetem Ende des Postmasters",
    "terminando la conexión debido al término inesperado de postmaster",
    "arrêt des connexions suite à un arrêt inattendu du postmaster",
    "la connessione è stata terminata a causa di un'uscita inattesa di postmaster",
    "予期しないpostmasterの終了のため、コネクションを終了します",
    "მიერთების შეწყვეტა postmaster-ის მოულოდნელი გასვლის გამო",
    "postmaster의 예상치 못한 종료로 연결을 종료합니다",
    "закрытие подключения из-за неожиданного завершения главного процесса",
    "avslutar anslutning på grund av att postmaster stängde oväntat ner",
    "завершення підключення через неочікуване закриття головного процесу",
    "由于意外的 postmaster 退出而终止连接",
];
