import CallbackDomain
import JSONEnvelope
import Testing

@testable import CallbackAPI

@Suite("Dialogs in each language")
struct CallbackLanguageTests {
  /// Language → what the user reads: the menu from top to bottom, then start, dialling, call to come, wait, cancelled.
  private static let shown: [(language: String, texts: [String])] = [
    (
      "en",
      [
        "Agent is available right now", "Are you ready?", "Yes, I'm ready to talk",
        "You will hear tones immediately after call is connected. This is normal.", "No, try again in 5 minutes",
        "Cancel, my problem has been solved", "Start Chat", "Connecting ...", "You will receive the call shortly", "Ok",
        "We will notify you when agent is available", "Ok", "Your request has been cancelled", "Ok",
      ]
    ),
    (
      "de-AT",
      [
        "Unser Serviceteam ist jetzt für Sie da", "Sind Sie bereit?", "Ja, ich bin bereit für das Gespräch",
        "Gleich nach dem Verbindungsaufbau hören Sie Signaltöne. Das ist normal.",
        "Nein, in 5 Minuten noch einmal versuchen", "Abbrechen, mein Anliegen hat sich erledigt", "Chat starten",
        "Verbindung wird hergestellt …", "Sie werden in Kürze angerufen", "OK",
        "Wir benachrichtigen Sie, sobald jemand für Sie da ist", "OK", "Ihre Anfrage wurde storniert", "OK",
      ]
    ),
    (
      "fr",
      [
        "Un conseiller est disponible dès maintenant", "Êtes-vous disponible\u{202F}?",
        "Oui, je peux parler maintenant", "Vous entendrez des tonalités dès que l’appel sera établi. C’est normal.",
        "Non, réessayer dans 5 minutes", "Annuler, mon problème est résolu", "Démarrer le chat", "Connexion en cours…",
        "Vous allez recevoir notre appel dans quelques instants", "OK",
        "Nous vous préviendrons dès qu’un conseiller sera disponible", "OK", "Votre demande a été annulée", "OK",
      ]
    ),
    (
      "es_MX",
      [
        "Hay un agente disponible en este momento", "¿Podemos empezar?", "Sí, puedo hablar ahora",
        "Oirá unos tonos en cuanto se establezca la llamada. Es normal.", "No, volver a intentarlo en 5 minutos",
        "Cancelar, mi problema ya está resuelto", "Iniciar chat", "Conectando…", "En breve recibirá nuestra llamada",
        "Aceptar", "Le avisaremos cuando haya un agente disponible", "Aceptar", "Su solicitud se ha cancelado",
        "Aceptar",
      ]
    ),
    (
      "ja",
      [
        "ただいま担当者が対応できます", "今お話しできますか？", "はい、話せます", "通話がつながった直後に信号音が聞こえますが、異常ではありません。",
        "いいえ、5分後にもう一度お願いします", "問題が解決したのでキャンセルします", "チャットを開始", "接続しています…", "まもなくお電話いたします", "OK",
        "担当者が対応できるようになりましたらお知らせします", "OK", "ご依頼をキャンセルしました", "OK",
      ]
    ),
    (
      "KO-kr",
      [
        "지금 상담원과 연결할 수 있습니다", "준비되셨나요?", "네, 지금 상담하겠습니다", "전화가 연결되면 바로 신호음이 들립니다. 이는 정상입니다.",
        "아니요, 5분 후에 다시 시도해 주세요", "취소, 문제가 해결되었습니다", "채팅 시작", "연결 중…", "잠시 후 전화를 드리겠습니다", "확인",
        "상담원과 연결할 수 있게 되면 알려 드리겠습니다", "확인", "요청이 취소되었습니다", "확인",
      ]
    ),
  ]

  @Test("each dialog speaks it in all its texts", arguments: shown)
  func dialogs(language: String, texts: [String]) throws {
    let dialogs = CallbackSample.dialogs(try CallbackSample.asked(), language: language)
    let objects = try [CallbackDialog.confirmWithCode, .startChat, .connectInbound, .connectOutbound, .waitForAgent].map
    {
      dialog in try JSONValue(parsing: CallbackSample.json { dialogs.write(dialog, into: &$0) })
    }
    let cancelled = try JSONValue(parsing: CallbackSample.json { dialogs.writeCancelled(into: &$0) })
    let found = (objects + [cancelled]).flatMap { Self.texts(of: $0) }
    #expect(found == texts)
  }

  @Test("the menu without tones is the same without their hint", arguments: shown)
  func menu(language: String, texts: [String]) throws {
    let dialogs = CallbackSample.dialogs(try CallbackSample.asked(), language: language)
    let menu = try JSONValue(parsing: CallbackSample.json { dialogs.write(.confirm, into: &$0) })
    #expect(Self.texts(of: menu) == Array(texts[..<3] + texts[4..<6]))
  }

  /// What a user reads of a dialog, in its order.
  private static func texts(of value: JSONValue) -> [String] {
    if let elements = value.array { return elements.flatMap { texts(of: $0) } }
    guard let object = value.object else { return [] }
    return object.members.flatMap { member -> [String] in
      switch member.name {
      case "_label", "_group_name", "_text", "_ok_title": [member.value.string ?? ""]
      default: texts(of: member.value)
      }
    }
  }
}
